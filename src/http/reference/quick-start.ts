import { codeSamples, type Samples } from './code-samples.ts';
import type { Entry, Group } from './document/contents.ts';
import { heading } from './headings.ts';
import { type Html, html } from './html.ts';

/** The first import, in steps. The code of all steps, one after the other, is a program. */
export function quickStart(groups: readonly Group[], server: string): Html | undefined {
  const entries = groups.flatMap((group) => group.entries);
  const find = (id: string) => entries.find(({ operation }) => operation.operationId === id);
  const needed = {
    attribute: find('createAttribute'),
    upload: find('createUpload'),
    queue: find('queueImport'),
    log: find('getImportLog'),
  };
  if (!hasAll(needed)) return undefined;
  const addresses = addressesOf(needed);
  const link = ({ anchor, title }: Entry) => html`<a href="#${anchor}">${title}</a>`;
  const steps: [string, Html, Samples][] = [
    [
      'Set your API key',
      html`Ask the operator for a key. If you run the service yourself, its first start prints one.`,
      connected(server),
    ],
    [
      'Create an attribute',
      html`An attribute is a property of devices. Your files refer to it by a key that you choose. ${link(needed.attribute)}`,
      attributeCreated(server, addresses),
    ],
    [
      'Upload a file',
      html`Each row has an identifier and the keys of its attributes. For many or large files, use an S3 client instead, with storage credentials from the operator. ${link(needed.upload)}`,
      fileUploaded(server, addresses),
    ],
    [
      'Queue the import',
      html`The response contains the ID of the import log. ${link(needed.queue)}`,
      importQueued(server, addresses),
    ],
    [
      'Read the log',
      html`Status 0 is pending, 1 importing, 2 done and 3 failed. <code>errors</code> explains rejected rows and failures. ${link(needed.log)}`,
      logRead(server, addresses),
    ],
  ];
  return html`<section class="quick-start" aria-labelledby="quick-start">
${heading(2, 'quick-start', 'Quick start')}
<p>Your first import, in five steps.</p>
<ol class="steps">
${steps.map(
  ([title, text, samples]) => html`<li>
<div><h3>${title}</h3>
<p>${text}</p></div>
${codeSamples(`Quick start: ${title}`, samples)}
</li>
`,
)}</ol>
</section>`;
}

interface Needed {
  readonly attribute: Entry;
  readonly upload: Entry;
  readonly queue: Entry;
  readonly log: Entry;
}

function hasAll(needed: Record<keyof Needed, Entry | undefined>): needed is Needed {
  return Object.values(needed).every((entry) => entry !== undefined);
}

type Addresses = Readonly<Record<keyof Needed, string>>;

/** The path of the log lacks the id at its end. */
function addressesOf({ attribute, upload, queue, log }: Needed): Addresses {
  return {
    attribute: attribute.path,
    upload: upload.path,
    queue: queue.path,
    log: log.path.replace(/\{[^}]+\}$/, ''),
  };
}

const authorization = '-H "Authorization: Bearer $API_KEY"';
const jsonHeaders = `${authorization} \\
  -H 'Content-Type: application/json'`;
const row = 'id,attribute_ids\\n3f2504e0-4f89-41d3-9a0c-0305e82c3301,coffee\\n';

function connected(server: string): Samples {
  return {
    shell: 'export API_KEY=…',
    typescript: `// Run with: API_KEY=… node first-import.ts
const service = '${server}';

async function call(method: string, path: string, body?: object) {
  const response = await fetch(service + path, {
    method,
    headers: {
      Authorization: \`Bearer \${process.env.API_KEY}\`,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}`,
    python: `# Run with: API_KEY=… python3 first_import.py
import json
import os
import time
from urllib.request import Request, urlopen

service = "${server}"

def call(method, path, body=None):
    request = Request(
        service + path,
        method=method,
        headers={
            "Authorization": "Bearer " + os.environ["API_KEY"],
            "Content-Type": "application/json",
        },
        data=None if body is None else json.dumps(body).encode(),
    )
    with urlopen(request) as response:
        return json.load(response)`,
  };
}

function attributeCreated(server: string, { attribute }: Addresses): Samples {
  return {
    shell: `curl ${server}${attribute} \\
  ${jsonHeaders} \\
  --data-raw '{"name": "Coffee drinkers", "partner_foreign_key": "coffee"}'`,
    typescript: `const attribute = { name: 'Coffee drinkers', partner_foreign_key: 'coffee' };
console.log(await call('POST', '${attribute}', attribute));`,
    python: `attribute = {"name": "Coffee drinkers", "partner_foreign_key": "coffee"}
print(call("POST", "${attribute}", attribute))`,
  };
}

function fileUploaded(server: string, { upload }: Addresses): Samples {
  return {
    shell: `printf '${row}' > devices.csv
UPLOAD_URL=$(curl --silent ${server}${upload} \\
  ${jsonHeaders} \\
  --data-raw '{"path": "devices.csv"}' | grep -o 'http[^"]*')
curl --upload-file devices.csv "$UPLOAD_URL"`,
    typescript: `const rows = '${row}';
const upload = await call('POST', '${upload}', { path: 'devices.csv' });
const stored = await fetch(upload.url, { method: 'PUT', body: rows });
if (!stored.ok) throw new Error(await stored.text());`,
    python: `rows = "${row}"
upload = call("POST", "${upload}", {"path": "devices.csv"})
urlopen(Request(upload["url"], method="PUT", data=rows.encode())).close()`,
  };
}

function importQueued(server: string, { queue }: Addresses): Samples {
  return {
    shell: `IMPORT_LOG_ID=$(curl --silent ${server}${queue} \\
  ${jsonHeaders} \\
  --data-raw '{"file_path": "devices.csv", "key_type": 1}' | grep -o '[0-9]*')`,
    typescript: `const source = { file_path: 'devices.csv', key_type: 1 };
const { import_log_id } = await call('POST', '${queue}', source);`,
    python: `source = {"file_path": "devices.csv", "key_type": 1}
import_log_id = call("POST", "${queue}", source)["import_log_id"]`,
  };
}

function logRead(server: string, { log }: Addresses): Samples {
  return {
    shell: `# Repeat until status is 2 or 3.
curl ${server}${log}$IMPORT_LOG_ID ${authorization}`,
    typescript: `let log = await call('GET', \`${log}\${import_log_id}\`);
while (log.status < 2) {
  await new Promise((resolve) => setTimeout(resolve, 500));
  log = await call('GET', \`${log}\${import_log_id}\`);
}
console.log(log);`,
    python: `log = call("GET", f"${log}{import_log_id}")
while log["status"] < 2:
    time.sleep(0.5)
    log = call("GET", f"${log}{import_log_id}")
print(log)`,
  };
}
