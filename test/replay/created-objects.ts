/**
 * Records what the reference server makes of objects at their creation (nothing is stored):
 *   node deploy/scripts/run.mjs test/replay/created-objects.js
 * The recording says itself what is sent: a line `{ "note": …, "sent": <object> }` that is added to it gets its answer. every-kind.test.ts replays them.
 * Left out is what the reference's admission adds and ours does not: the taint of new nodes.
 */
import { isSentObject } from '../support/recorded-objects';
import { collectionOf, NAMESPACE, textOf } from './collections';
import { casesOf, writeRecording } from './recording';
import { call, hangUp, isBody, type Body, type Json } from './reference';

const NOT_READY = 'node.kubernetes.io/not-ready';

async function main(): Promise<void> {
  await call('POST', '/api/v1/namespaces', 'application/json', { metadata: { name: NAMESPACE } });
  await call('POST', `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, 'application/json', { metadata: { name: 'default' } });
  const recorded: object[] = [];
  for (const { note, sent } of casesOf('objects/created', isSentObject)) {
    const { code, body } = await call('POST', `${await collectionOf(sent)}?dryRun=All`, 'application/json', sent);
    if (code >= 300) throw new Error(`${note}: ${code} ${JSON.stringify(body)}`);
    recorded.push({ note, sent, created: masked(body) });
  }
  writeRecording('objects/created', recorded);
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
