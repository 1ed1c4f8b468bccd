/**
 * Records what the reference server says to good and bad CustomResourceDefinitions (the cases in definitions/):
 *   node deploy/scripts/run.mjs test/replay/definitions.js
 * Everything is a dry run but what updates are of. custom-resource-definition.test.ts sends the same cases to ours.
 */
import { setTimeout } from 'node:timers/promises';
import { answerDigest, definitionAnswer, type DefinitionAnswer } from '../support/recorded-definitions';
import { definition, NAMES, schema } from './definitions/cases';
import { OUTLINES } from './definitions/outlines';
import { randomSchema } from './definitions/random-schemas';
import { REAL_LIFE } from './definitions/real-life';
import { SCHEMAS } from './definitions/schemas';
import { UPDATES, type Update } from './definitions/updates';
import { writeRecording } from './recording';
import { call, causesOf, hangUp, isBody, type Body, type Reply } from './reference';
import { expandBody } from './request-body';

const PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const PATIENCE_MS = 50;
const RANDOM_SCHEMAS = 500;

async function main(): Promise<void> {
  const created: [string, DefinitionAnswer][] = [];
  for (const [title, body] of Object.entries({ ...OUTLINES, ...SCHEMAS, ...REAL_LIFE }))
    created.push([title, answerOf(await call('POST', `${PATH}?dryRun=All`, 'application/json', expandBody(body)))]);
  const updated: [string, DefinitionAnswer][] = [];
  for (const [title, update] of Object.entries(UPDATES)) updated.push([title, await replaced(update)]);
  const random: [string, DefinitionAnswer][] = [];
  for (let seed = 1; seed <= RANDOM_SCHEMAS; seed += 1) {
    const answer = await steadyAnswer(schema(randomSchema(seed)));
    if (answer !== undefined) random.push([String(seed), answer]);
  }
  writeRecording('definitions/created', created);
  writeRecording('definitions/updated', updated);
  writeRecording('definitions/random', random);
  hangUp();
}

/** Undefined where the reference says now this, now that. */
async function steadyAnswer(body: Body): Promise<string | undefined> {
  const answers = new Set<string>();
  for (let turn = 0; turn < 6; turn += 1)
    answers.add(answerDigest(answerOf(await call('POST', `${PATH}?dryRun=All`, 'application/json', body))));
  return answers.size === 1 ? [...answers][0] : undefined;
}

async function replaced({ old, body, status, refused }: Update): Promise<DefinitionAnswer> {
  const taken = definition({ names: { ...NAMES, plural: 'rivals', singular: 'rival' } }, { name: 'rivals.crd.example.com' });
  if (refused === true) await store(taken, 'True');
  const name = await store(old, refused === true ? 'False' : 'True');
  const metadata = isBody(body['metadata']) ? body['metadata'] : {};
  const path = `${PATH}/${name}${status === true ? '/status' : ''}?dryRun=All`;
  const answer = await put(path, { ...body, metadata: { ...metadata, name } });
  await remove(name);
  if (refused === true) await remove('rivals.crd.example.com');
  return answer;
}

/** The reference's own controllers change the object, too. */
async function put(path: string, sent: Body): Promise<DefinitionAnswer> {
  for (;;) {
    const { body: current } = await call('GET', path.replace('?dryRun=All', ''), 'application/json');
    const resourceVersion = isBody(current['metadata']) ? (current['metadata']['resourceVersion'] ?? null) : null;
    const metadata = isBody(sent['metadata']) ? sent['metadata'] : {};
    const reply = await call('PUT', path, 'application/json', { ...sent, metadata: { ...metadata, resourceVersion } });
    if (reply.code !== 409) return answerOf(reply);
  }
}

/** Creates it and waits until its names are accepted, or refused. */
async function store(body: Body, established: string): Promise<string> {
  const metadata = isBody(body['metadata']) ? body['metadata'] : {};
  const name = typeof metadata['name'] === 'string' ? metadata['name'] : '';
  const reply = await call('POST', PATH, 'application/json', body);
  if (reply.code !== 201) throw new Error(JSON.stringify(reply.body));
  for (;;) {
    const { body: found } = await call('GET', `${PATH}/${name}`, 'application/json');
    const conditions = isBody(found['status']) ? found['status']['conditions'] : undefined;
    const settled = (Array.isArray(conditions) ? conditions : []).some(
      (condition) => isBody(condition) && condition['type'] === 'Established' && condition['status'] === established,
    );
    if (settled) return name;
    await setTimeout(PATIENCE_MS);
  }
}

async function remove(name: string): Promise<void> {
  await call('DELETE', `${PATH}/${name}`, 'application/json');
  while ((await call('GET', `${PATH}/${name}`, 'application/json')).code !== 404) await setTimeout(PATIENCE_MS);
}

function answerOf(reply: Reply): DefinitionAnswer {
  const { code, body } = reply;
  const message: unknown = body['message'];
  return definitionAnswer({ code, message: typeof message === 'string' ? message : '', causes: causesOf(reply), object: body });
}

void main();
