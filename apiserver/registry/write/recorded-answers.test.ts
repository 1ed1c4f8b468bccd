/**
 * Replays recorded writes of release 1.31.1 (test/replay/answers/writes) through the write path, without HTTP: code,
 * message, causes, warnings, and the object without managedFields.
 */
import { maskVolatileValues } from '../../../test/replay/normalize/mask-volatile-values';
import { isBody, type Body, type Json } from '../../../test/replay/json-response';
import { requestRecording, type RecordedResponse, type RecordedRequest } from '../../../test/replay/requests/request-recording';
import { shortenPatterns, withoutDifference } from '../../../test/replay/normalize/normalize-response';
import { objectOf, openWriteFixture, type WriteFixture } from '../../../test/support/store/write-fixture';
import { StatusError } from '../../../shared/api/errors/status';
import { parseJsonInSteps } from '../../../shared/serialization';
import { runStepsSync } from '../../../shared/scheduling/steps';
import { useResource } from '../../../test/support/use-resource';
import type { Entry } from '../../cache/cache';
import type { DeleteOptions, ObjectBody, Resource, Subresource, WriteOptions } from '../verbs';

const NAMESPACE = 'replayed-writes';

const RECORDINGS = ['requests', 'kinds', 'deletion'] as const;

describe.each([
  ...RECORDINGS.map((name) => ["the server's thread", name, false] as const),
  ...RECORDINGS.map((name) => ['a worker thread', name, true] as const),
])('a write on %s returns the recorded answer of %s', (_thread, recording, isOffloaded) => {
  const { cases } = requestRecording(`writes/${recording}`);
  const fixture = useResource(async () => {
    const opened = await openWriteFixture({ isOffloaded });
    for (const name of ['default', 'platform-system', 'platform-public']) await opened.create('namespaces', { metadata: { name } });
    return opened;
  });

  // The first line of the recording is its head, so the case with the index 0 is on line 2.
  it.each(cases.map(({ request, answer }, index) => [`line ${index + 2}: ${request.method} ${request.path}`, request, answer] as const))(
    'to %s',
    async (_title, request, answer) => {
      const { warnings } = fixture();
      warnings.length = 0;
      expect(await perform(fixture(), request)).toEqual(expectedOf(answer));
      if (answer.status < 400) expect(new Set(warnings)).toEqual(new Set(answer.warnings ?? []));
    },
  );
});

interface Outcome {
  readonly code: number;
  readonly message?: string | undefined;
  readonly reason?: string | undefined;
  readonly causes?: (readonly (string | undefined)[])[] | undefined;
  readonly object?: Json;
}

function expectedOf({ status: code, body }: RecordedResponse): Outcome {
  if (!isBody(body)) throw new Error('not an object');
  const { kind, apiVersion: _apiVersion, ...object } = body;
  if (code >= 400) {
    const { details, message, reason } = object;
    const causes = isBody(details) && Array.isArray(details['causes']) ? details['causes'].filter(isBody) : undefined;
    const textOf = (value: Json | undefined): string => (typeof value === 'string' ? shorten(value) : '');
    return {
      code,
      message: textOf(message),
      reason: textOf(reason),
      causes: causes?.map((cause) => [textOf(cause['field']), textOf(cause['message'])]).sort(),
    };
  }
  return kind === 'Status' ? { code } : { code, object: withoutVersion(object) };
}

function withoutVersion({ metadata, ...members }: Body): Body {
  // managedFields are replayed by managed-fields-answers.test.ts.
  const { resourceVersion: _version, managedFields: _managedFields, ...kept } = isBody(metadata) ? metadata : {};
  return { ...members, metadata: kept };
}

async function perform(fixture: WriteFixture, request: RecordedRequest): Promise<Outcome> {
  await fixture.cache.catchUp();
  try {
    return await route(fixture, request);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const { message, reason, details } = error.status;
    return {
      code: error.code,
      message: shorten(message ?? ''),
      reason,
      causes: details?.causes?.map((cause) => [cause.field ?? '', shorten(cause.message ?? '')]).sort(),
    };
  }
}

const shorten = (text: string): string => withoutDifference(shortenPatterns(maskedText(text)));

function maskedText(text: string): string {
  const masked = maskVolatileValues(text, NAMESPACE);
  return typeof masked === 'string' ? masked : text;
}

/** What the path of a request names. */
interface Target {
  readonly resource: Resource;
  readonly key: { readonly namespace: string; readonly name: string };
  readonly subresource: Subresource;
  readonly query: URLSearchParams;
}

function targetOf(fixture: WriteFixture, path: string): Target {
  const url = new URL(path.replaceAll('$NS', NAMESPACE), 'http://test');
  const segments = url.pathname.split('/').filter((segment) => segment !== '');
  // The segments after `/api/v1` or `/apis/<group>/<version>`.
  const below = segments[0] === 'apis' ? segments.slice(3) : segments.slice(2);
  // `namespaces/a/pods/p` is in a namespace; `namespaces/a` and `namespaces/a/status` are about the namespace itself.
  const isInNamespace = below[0] === 'namespaces' && below.length > 2 && below[2] !== 'status' && below[2] !== 'finalize';
  const [plural = '', name = '', lastSegment] = isInNamespace ? below.slice(2) : below;
  const subresource = lastSegment === 'status' || lastSegment === 'finalize' ? lastSegment : undefined;
  const namespace = isInNamespace ? (below[1] ?? '') : '';
  return { resource: fixture.resource(plural), key: { namespace, name }, subresource, query: url.searchParams };
}

/** The object of an entry in the form of the recording. */
function maskedObject(entry: Entry): Json {
  const object = maskVolatileValues(JSON.parse(JSON.stringify(objectOf(entry))), NAMESPACE);
  return isBody(object) ? withoutVersion(object) : object;
}

/** The recorded body as the endpoints pass it to the writer: unparsed, if the writer requests that. */
function bodyOf({ writer }: WriteFixture, resource: Resource, recorded: Json | undefined): ObjectBody {
  const text = (typeof recorded === 'string' ? recorded : JSON.stringify(recorded)).replaceAll('$NS', NAMESPACE);
  const { value, duplicates, format, text: original } = runStepsSync(parseJsonInSteps(Buffer.from(text)));
  const object = value === null || typeof value !== 'object' || Array.isArray(value) ? {} : value;
  const raw = { bytes: Buffer.from(text), format: 'json' } as const;
  if (writer.defersParsing(resource, raw)) return { raw };
  return { value: object, duplicates, format, raw, ...(original === undefined ? {} : { text: original }) };
}

async function route(fixture: WriteFixture, request: RecordedRequest): Promise<Outcome> {
  const { writer, context, cache } = fixture;
  const { method, path, body, type: patchType } = request;
  const { resource, key, subresource, query } = targetOf(fixture, path);
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
      return { code: 201, object: maskedObject(entry) };
    }
    case 'PUT': {
      const { entry, created } = await writer.update(context, resource, key, subresource, bodyOf(fixture, resource, body), options);
      return { code: created ? 201 : 200, object: maskedObject(entry) };
    }
    case 'PATCH': {
      const type = patchType === 'json' ? 'json' : 'merge';
      const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
      const patch = { type, bytes, dialect: 'platform' } as const;
      return { code: 200, object: maskedObject((await writer.patch(context, resource, key, subresource, patch, options)).entry) };
    }
    case 'DELETE': {
      const result = await writer.delete(context, resource, key, deleteOptionsOf(body, query));
      return result.type === 'object' ? { code: result.code, object: maskedObject(result.entry) } : { code: result.code };
    }
    default: {
      const { entry } = await cache.readFromStore(resource.stored, key.namespace === '' ? key.name : `${key.namespace}/${key.name}`);
      return entry === undefined
        ? { code: 404, reason: 'NotFound', message: shorten(`${resource.row.resource} "${key.name}" not found`), causes: undefined }
        : { code: 200, object: maskedObject(entry) };
    }
  }
}

/** The options in the body of a DELETE, or in its query when it has no body. */
function deleteOptionsOf(body: Json | undefined, query: URLSearchParams): DeleteOptions {
  if (body === undefined) return { ...Object.fromEntries(query), dryRun: query.has('dryRun') };
  const options = isBody(body) ? body : {};
  return { ...options, dryRun: 'dryRun' in options };
}
