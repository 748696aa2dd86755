import pg from 'pg';

const duplicateDatabase = '42P04';

/** How a database of that name on the same server is reached. */
export function databaseOn(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = name;
  return url.href;
}

/** Says it to the server, apart from all databases of tests. */
export async function onServer(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Makes one of that name, unless there is one. */
export async function makeDatabase(serverUrl: string, name: string): Promise<void> {
  try {
    await onServer(serverUrl, `create database ${name}`);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === duplicateDatabase)) throw error;
  }
}
