/**
 * Records what the reference server makes of the random sequences of sequences.ts:
 *   node deploy/scripts/run.mjs test/replay/ownership.js <seed> <count>
 * Objects live in a namespace of their own and go at the end. ownership-answers.test.ts replays the recording. What the reference refuses for a rule of the kind (its
 * metadata aside) is left out: rules are not the matter here.
 */
import { ask, hangUp, isBody, type Body, type Json } from './reference';
import { writeRecording } from './recording';
import { sequenceOf, type Sequence, type Step, type Way } from './sequences';
import { inward, outward, PATCH_MEDIA } from './spelling';

/** `codes` has null for a step that was left out; `object` is null when it is gone in the end. */
interface Recorded {
  readonly index: number;
  readonly codes: (number | null)[];
  readonly messages: Record<number, string>;
  readonly object: Json;
}

const [seedText = '1', countText = '100'] = process.argv.slice(2);
const NAMESPACE = 'updates-sequences';

const JSON_MEDIA = 'application/json';

const METHODS: Readonly<Record<Way, string>> = {
  create: 'POST',
  put: 'PUT',
  delete: 'DELETE',
  json: 'PATCH',
  merge: 'PATCH',
  strategic: 'PATCH',
  apply: 'PATCH',
};

interface Answer {
  readonly code: number;
  readonly body: Body;
}

async function call(method: string, path: string, type: string, body: Json): Promise<Answer> {
  const text = body === null ? '' : outward(JSON.stringify(body));
  const { code, bytes } = await ask(method, outward(path), { 'content-type': type }, Buffer.from(text));
  const parsed: Body = JSON.parse(inward(bytes.toString()));
  return { code, body: parsed };
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

function rootOf({ kind }: Sequence): string {
  const { apiVersion, namespaced, resource } = kind;
  return `${apiVersion.includes('/') ? '/apis' : '/api'}/${apiVersion}${namespaced ? `/namespaces/${NAMESPACE}` : ''}/${resource}`;
}

async function record(seed: number, index: number): Promise<Recorded> {
  const sequence = sequenceOf(seed, index);
  const root = rootOf(sequence);
  const codes: (number | null)[] = [];
  const messages: Record<number, string> = {};
  for (const [at, step] of sequence.steps.entries()) {
    const answer = await perform(root, sequence.name, step);
    codes.push(answer === undefined ? null : answer.code);
    if (answer !== undefined && answer.code >= 400 && answer.code !== 422) messages[at] = textOf(answer.body['message']);
  }
  const last = await call('GET', `${root}/${sequence.name}`, JSON_MEDIA, null);
  await call('PATCH', `${root}/${sequence.name}`, PATCH_MEDIA['merge'] ?? '', { metadata: { finalizers: null } });
  await call('DELETE', `${root}/${sequence.name}?gracePeriodSeconds=0&propagationPolicy=Background`, JSON_MEDIA, null);
  return { index, codes, messages, object: last.code === 200 ? reduced(last.body) : null };
}

/** Undefined = left out. */
async function perform(root: string, name: string, step: Step): Promise<Answer | undefined> {
  const { way, sub, manager, force, dryRun, body } = step;
  const path = way === 'create' ? root : `${root}/${name}${sub === '' ? '' : `/${sub}`}`;
  const query = `fieldManager=${manager}${force ? '&force=true' : ''}`;
  const run = (dry: boolean): Promise<Answer> =>
    call(METHODS[way], `${path}?${query}${dry ? '&dryRun=All' : ''}`, PATCH_MEDIA[way] ?? JSON_MEDIA, body);
  if (way !== 'delete' && breaksRules(await run(true))) return undefined;
  return run(dryRun);
}

function breaksRules({ code, body }: Answer): boolean {
  return (
    code === 422 && isBody(body['details']) && body['details']['kind'] !== undefined && !/(?:: |\[)metadata\./.test(textOf(body['message']))
  );
}

/** What admission plug-ins of the reference add to pods, what is new in every run, and what the type tells. */
const ADMITTED = ['volumes', 'tolerations', 'serviceAccount', 'serviceAccountName', 'priority', 'preemptionPolicy'];

function reduced({ kind: _kind, apiVersion: _apiVersion, ...object }: Body): Body {
  const { metadata, spec } = object;
  if (isBody(metadata)) {
    for (const member of ['uid', 'resourceVersion', 'creationTimestamp', 'name', 'namespace']) delete metadata[member];
    if (typeof metadata['deletionTimestamp'] === 'string') metadata['deletionTimestamp'] = '*';
    if (Array.isArray(metadata['managedFields'])) metadata['managedFields'] = metadata['managedFields'].map(untimed);
  }
  if (!isBody(spec) || !Array.isArray(spec['containers'])) return object;
  for (const member of ADMITTED) delete spec[member];
  for (const container of spec['containers']) if (isBody(container)) delete container['volumeMounts'];
  return object;
}

/** Whether there is a time counts, what it says does not. */
function untimed(entry: Json): Json {
  return isBody(entry) && entry['time'] !== undefined ? { ...entry, time: '*' } : entry;
}

async function main(): Promise<void> {
  await call('POST', '/api/v1/namespaces', JSON_MEDIA, { metadata: { name: NAMESPACE } });
  await call('POST', `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, JSON_MEDIA, { metadata: { name: 'default' } });
  const cases: Recorded[] = [];
  for (let i = 0; i < Number(countText); i += 1) cases.push(await record(Number(seedText), i));
  writeRecording('ownership/sequences', [{ seed: Number(seedText) }, ...cases]);
  hangUp();
}

void main();
