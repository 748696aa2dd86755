import pg from 'pg';

const duplicateDatabase = '42P04';

/** The URL of a database with this name on the same server. */
export function databaseOn(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = name;
  return url.href;
}

/** Runs a statement on the server, outside the databases of tests. */
export async function onServer(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Creates a database with this name unless it exists. */
export async function makeDatabase(serverUrl: string, name: string): Promise<void> {
  try {
    await onServer(serverUrl, `create database ${name}`);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === duplicateDatabase)) throw error;
  }
}
