/**
 * Replays requests whose answers were recorded from release 1.31.1 (test/replay/answers/writes: in canonical spelling, pattern explanations shortened to
 * `(…)`, generated values as `*`). What a step expects is the recording, not what this code happens to say.
 */
import { casesOf } from '../../../test/replay/recording';
import { body as anObject, either, listOf, number, shape, text, type Check } from '../../../test/replay/shape';
import { shortenPatterns, withoutDifference } from '../../../test/replay/normalize-answer';
import { objectOf, writeFixture, type Fixture } from '../../../test/support/write-fixture';
import type { JsonObject } from '../../../shared/values/json';
import { metadataOf } from '../../../shared/api/metadata/object-meta';
import { StatusError } from '../../../shared/api/errors/status';
import { parsingJson } from '../../../shared/serialization';
import { atOnce } from '../../../shared/values/steps';
import type { Entry } from '../../cache/cache';
import type { DeleteOptions, ObjectBody, Resource, Subresource, WriteOptions } from '../verbs';

interface Step {
  readonly request: readonly (string | object)[];
  readonly code: number;
  readonly message?: string;
  readonly reason?: string;
  /** Of a Status that is no refusal. */
  readonly status?: string;
  readonly causes?: readonly (readonly string[])[];
  readonly object?: object;
  readonly warnings?: readonly string[];
}

const NAMESPACE = 'ns';

const texts = listOf(text);
const isStep: Check<Step> = shape(
  { request: listOf(either(text, anObject)), code: number },
  { message: text, reason: text, status: text, causes: listOf(texts), object: anObject, warnings: texts },
);

describe.each([
  ['requests', false],
  ['kinds', false],
  ['deletion', false],
  ['requests', true],
  ['kinds', true],
  ['deletion', true],
] as const)('%s, as heavy writes: %s', (name, isHeavy) => {
  const steps = casesOf(`writes/${name}`, isStep);
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await writeFixture({ isHeavy });
    for (const name of ['default', 'platform-system', 'platform-public']) await fixture.create('namespaces', { metadata: { name } });
    await fixture.remove('namespaces', NAMESPACE);
    await fixture.update('namespaces', NAMESPACE, { metadata: { name: NAMESPACE } }, { subresource: 'finalize' });
  });

  it.each(steps.map((step) => [`${step.request.map((part) => brief(part)).join(' ')} → ${step.code}`, step] as const))(
    '%s',
    async (_title, step) => {
      fixture.warnings.length = 0;
      const found = await perform(fixture, step);
      expect(found.code).toBe(step.code);
      if (step.message !== undefined) {
        expect(found.message).toBe(step.message.replaceAll('$NS', NAMESPACE));
        expect(found.reason).toBe(step.reason);
        expect(found.causes).toEqual(step.causes?.map((cause) => cause.map((text) => text.replaceAll('$NS', NAMESPACE))));
      }
      if (step.object !== undefined) expect(found.object).toEqual(JSON.parse(JSON.stringify(step.object).replaceAll('$NS', NAMESPACE)));
      if (step.code < 400) expect(new Set(fixture.warnings)).toEqual(new Set(step.warnings ?? []));
    },
  );
});

function brief(part: string | object): string {
  const text = typeof part === 'string' ? part : JSON.stringify(part);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

interface Found {
  readonly code: number;
  readonly message?: string | undefined;
  readonly reason?: string | undefined;
  readonly causes?: (readonly (string | undefined)[])[] | undefined;
  readonly object?: JsonObject;
}

async function perform(fixture: Fixture, step: Step): Promise<Found> {
  await fixture.cache.catchUp();
  try {
    return await route(fixture, step);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const { message, reason, details } = error.status;
    return {
      code: error.code,
      message: shorten(message ?? ''),
      reason,
      causes: details?.causes?.map((cause) => [cause.field, shorten(cause.message ?? '')]),
    };
  }
}

const shorten = (text: string): string => withoutDifference(shortenPatterns(text)).replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<uid>');

interface Target {
  readonly resource: Resource;
  readonly key: { readonly namespace: string; readonly name: string };
  readonly subresource: Subresource;
  readonly query: URLSearchParams;
}

function target(fixture: Fixture, path: string): Target {
  const url = new URL(path.replaceAll('$NS', NAMESPACE), 'http://test');
  const parts = url.pathname.split('/').filter((part) => part !== '');
  const named = parts[0] === 'apis' ? parts.slice(3) : parts.slice(2);
  const inNamespace = named[0] === 'namespaces' && named.length > 2 && named[2] !== 'status' && named[2] !== 'finalize';
  const [plural = '', name = '', sub] = inNamespace ? named.slice(2) : named;
  const subresource = sub === 'status' || sub === 'finalize' ? sub : undefined;
  const namespace = inNamespace ? (named[1] ?? '') : '';
  return { resource: fixture.resource(plural), key: { namespace, name }, subresource, query: url.searchParams };
}

function shown(entry: Entry): JsonObject {
  const object = objectOf(entry);
  const metadata = metadataOf(object);
  delete metadata['resourceVersion'];
  // Who owns what is replayed by ownership-answers.test.ts.
  delete metadata['managedFields'];
  for (const member of ['uid', 'creationTimestamp', 'deletionTimestamp']) if (typeof metadata[member] === 'string') metadata[member] = '*';
  return object;
}

function bodyOf({ writer }: Fixture, resource: Resource, part: string | object | undefined): ObjectBody {
  const text = (typeof part === 'string' ? part : JSON.stringify(part)).replaceAll('$NS', NAMESPACE);
  const { value, duplicates, format, text: original } = atOnce(parsingJson(Buffer.from(text)));
  const object = value === null || typeof value !== 'object' || Array.isArray(value) ? {} : value;
  const sent = { bytes: Buffer.from(text), format: 'json' } as const;
  if (writer.defers(resource, sent)) return { sent };
  return { value: object, duplicates, format, sent, ...(original === undefined ? {} : { text: original }) };
}

async function route(fixture: Fixture, step: Step): Promise<Found> {
  const { writer, context, cache } = fixture;
  const [method, path = '', body, mediaType] = step.request;
  const { resource, key, subresource, query } = target(fixture, typeof path === 'string' ? path : '');
  const dryRun = query.get('dryRun') === 'All';
  const level = query.get('fieldValidation');
  const options: WriteOptions = {
    dryRun,
    fieldValidation: level === 'Strict' || level === 'Ignore' ? level : 'Warn',
    fieldManager: 'test',
  };
  switch (method) {
    case 'POST': {
      const { entry } = await writer.create(context, resource, key.namespace, bodyOf(fixture, resource, body), options);
      return { code: 201, object: shown(entry) };
    }
    case 'PUT': {
      const { entry, created } = await writer.update(context, resource, key, subresource, bodyOf(fixture, resource, body), options);
      return { code: created ? 201 : 200, object: shown(entry) };
    }
    case 'PATCH': {
      const type = mediaType === 'application/json-patch+json' ? 'json' : 'merge';
      const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
      const patch = { type, bytes, dialect: 'platform' } as const;
      return { code: 200, object: shown((await writer.patch(context, resource, key, subresource, patch, options)).entry) };
    }
    case 'DELETE': {
      const result = await writer.delete(context, resource, key, deleteOptions(body, query));
      return result.type === 'object' ? { code: result.code, object: shown(result.entry) } : { code: result.code };
    }
    default: {
      const { entry } = await cache.read(resource.stored, key.namespace === '' ? key.name : `${key.namespace}/${key.name}`);
      return entry === undefined
        ? { code: 404, reason: 'NotFound', message: `${resource.row.resource} "${key.name}" not found` }
        : { code: 200, object: shown(entry) };
    }
  }
}

function deleteOptions(body: string | object | undefined, query: URLSearchParams): DeleteOptions {
  const given: object = body === undefined ? Object.fromEntries(query) : typeof body === 'string' ? {} : body;
  return { ...given, dryRun: 'dryRun' in given };
}
