/**
 * Records what the reference server makes of objects at their creation (nothing is stored):
 *   node deploy/scripts/run.mjs test/recordings/created-objects.js < objects.jsonl > test/recordings/answers/writes/created-objects.jsonl
 * Each line of the input is `{ "note": …, "sent": <object> }`; lines of an earlier recording are recorded again. every-kind.test.ts replays them.
 * Left out is what the reference's admission adds and ours does not: the taint of new nodes.
 */
import { collectionOf, NAMESPACE, textOf } from './collections';
import { call, hangUp, isBody, type Body, type Json } from './reference';

const NOT_READY = 'node.kubernetes.io/not-ready';

async function main(): Promise<void> {
  const lines = (await input()).split('\n').filter((line) => line !== '');
  await call('POST', '/api/v1/namespaces', 'application/json', { metadata: { name: NAMESPACE } });
  await call('POST', `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, 'application/json', { metadata: { name: 'default' } });
  for (const line of lines) {
    const { note, sent } = JSON.parse(line) as { note: string; sent: Body };
    const { code, body } = await call('POST', `${await collectionOf(sent)}?dryRun=All`, 'application/json', sent);
    if (code >= 300) throw new Error(`${note}: ${code} ${JSON.stringify(body)}`);
    process.stdout.write(`${JSON.stringify({ note, sent, created: masked(body) })}\n`);
  }
}

async function input(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk as Buffer));
  return Buffer.concat(chunks).toString();
}

/** Without what is different every time, and without kind, version and ownership, which other tests look at. */
function masked(object: Body): Json {
  const metadata = isBody(object['metadata']) ? object['metadata'] : {};
  const { resourceVersion: _, managedFields: __, ...kept } = metadata;
  const { apiVersion: ___, kind, ...rest } = object;
  if (kind === 'Node' && isBody(rest['spec'])) dropNewcomersTaint(rest['spec']);
  const text = JSON.stringify({ ...rest, metadata: kept });
  const hidden = text.replaceAll(textOf(metadata['uid']), '<uid>').replaceAll(textOf(metadata['creationTimestamp']), '<time>');
  return JSON.parse(hidden) as Json;
}

function dropNewcomersTaint(spec: Body): void {
  const taints = (Array.isArray(spec['taints']) ? spec['taints'] : []).filter((taint) => !isBody(taint) || taint['key'] !== NOT_READY);
  if (taints.length === 0) delete spec['taints'];
  else spec['taints'] = taints;
}

main()
  .finally(hangUp)
  .catch((error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exitCode = 1;
  });
