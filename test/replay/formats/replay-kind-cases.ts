/**
 * Replays recordings of the format `kind-cases`: each case is a test that sends the case's requests to this server and
 * compares the responses.
 */
import { StatusError } from '../../../shared/api/errors/status';
import { objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { VALIDATION_DEVIATIONS } from '../../support/deviations/validation-deviations';
import { openWriteFixture, type WriteResult } from '../../support/store/write-fixture';
import { useClosable } from '../../support/use-resource';
import { isKindCase, isKindHead, type KindCase, type KindHead, type RecordedResponse } from './kind-case';
import { shortenPatterns, shortenStructs, withoutVolatileFields } from '../normalize/normalize-response';
import { readRecording } from '../recording';
import type { Body } from '../json-response';
import { namedBody } from './request-body';

export type KindSubresource = 'status' | 'scale' | 'ephemeralcontainers';

export interface KindWriteOptions {
  readonly dryRun?: true;
  /** Absent for the object itself. */
  readonly subresource?: KindSubresource | undefined;
}

/** The response of a server to a write. */
export interface KindWriteResult {
  readonly code: number;
  /** The message of a rejection. */
  readonly message?: string;
  readonly causes: readonly (readonly [field: string, reason: string, message: string])[];
  readonly warnings: readonly string[];
  /** The accepted object. */
  readonly object?: JsonObject;
}

/** A server for the cases of one recording, with the namespace `ns`. */
export interface KindServer {
  create(sent: JsonObject, options?: KindWriteOptions): Promise<KindWriteResult>;
  update(name: string, sent: JsonObject, options?: KindWriteOptions): Promise<KindWriteResult>;
  /** Whether its results contain the object in the form of the API, so that objects can be compared. */
  hasApiObjects(subresource?: KindSubresource): boolean;
  close(): Promise<void>;
}

export type OpenKindServer = (head: KindHead) => Promise<KindServer>;

export interface KindReplayOptions {
  /** By default the server is the write path alone. */
  readonly openServer?: OpenKindServer;
  /** Chooses the cases that are replayed; all by default. */
  readonly select?: (head: KindHead, cases: readonly KindCase[]) => readonly KindCase[];
}

/** Defines the tests of these recordings. */
export function replayKindCases(
  recordings: readonly string[],
  { openServer = openWritePath, select = (_, cases) => cases }: KindReplayOptions = {},
): void {
  describe.each(recordings)('%s', (recording) => {
    const { head, cases } = readRecording(recording, isKindHead, isKindCase);
    replay(head, select(head, cases), openServer);
  });
}

interface StoredObject {
  readonly name: string;
  readonly resourceVersion: string;
}

function replay(head: KindHead, cases: readonly KindCase[], openServer: OpenKindServer): void {
  const { base, omittedSpecFields } = head;
  const server = useClosable(() => openServer(head));
  /** The objects that updates replace, by body. They are shared by the cases, because updates are dry runs. */
  const stored = new Map<string, StoredObject>();

  /** Creates the object that an update replaces, unless an earlier case did. Its status is stored only for updates of the status. */
  async function store(body: Body, subresource?: KindSubresource): Promise<StoredObject> {
    const hasStatus = subresource === 'status';
    const key = JSON.stringify([body, hasStatus]);
    const existing = stored.get(key);
    if (existing !== undefined) return existing;
    const name = `recorded-${stored.size}`;
    const sent = asObject(namedBody(body, name));
    let object = acceptedObject(await server().create(sent));
    const { status } = sent;
    if (hasStatus && status !== undefined)
      object = acceptedObject(await server().update(name, { ...object, status }, { subresource: 'status' }));
    const created = { name, resourceVersion: stringAt(objectAt(object, 'metadata'), 'resourceVersion') ?? '' };
    stored.set(key, created);
    return created;
  }

  async function expectUpdateResponse(old: Body, body: Body, recorded: RecordedResponse, subresource?: KindSubresource): Promise<void> {
    const { name, resourceVersion } = await store(old, subresource);
    const result = await server().update(name, asObject(namedBody(body, name, resourceVersion)), { dryRun: true, subresource });
    expectResponse(result, body, recorded, subresource);
  }

  function expectResponse(result: KindWriteResult, body: Body, recorded: RecordedResponse, subresource?: KindSubresource): void {
    const comparesObject = server().hasApiObjects(subresource);
    const expected = comparableRecording(body, recorded, comparesObject);
    expect(comparableResult(result, recorded, comparesObject, omittedSpecFields)).toEqual(expected);
  }

  it.each(cases.map((kindCase) => [kindCase.title, kindCase] as const))('%s', async (title, { body, old = base, ...recorded }) => {
    const deviation = VALIDATION_DEVIATIONS.get(`${head.resource} ${title}`);
    const create = recorded.create && (deviation ?? recorded.create);
    const recordedUpdate = recorded.update && (deviation ?? recorded.update);
    const update = recordedUpdate === 'same' ? create : recordedUpdate;
    if (create !== undefined) {
      const result = await server().create(asObject(namedBody(body, 'recorded-new')), { dryRun: true });
      expectResponse(result, body, create);
    }
    if (update !== undefined) await expectUpdateResponse(old, body, update);
    if (recorded.status !== undefined) await expectUpdateResponse(old, body, recorded.status, 'status');
    if (recorded.scale !== undefined) await expectUpdateResponse(old, body, recorded.scale, 'scale');
    if (recorded.ephemeral !== undefined) await expectUpdateResponse(old, body, recorded.ephemeral, 'ephemeralcontainers');
  });
}

function asObject(body: Body): JsonObject {
  const object: JsonObject = body;
  return object;
}

function acceptedObject({ object, ...result }: KindWriteResult): JsonObject {
  if (object === undefined) throw new Error(`the object before an update was rejected: ${JSON.stringify(result)}`);
  return object;
}

/** The compared parts of a response. */
interface Comparable extends Omit<RecordedResponse, 'object' | 'asSent'> {
  readonly object?: object;
}

function comparableResult(
  { code, message = '', causes, warnings, object }: KindWriteResult,
  recorded: RecordedResponse,
  comparesObject: boolean,
  omittedSpecFields: readonly string[] | undefined,
): Comparable {
  return {
    code,
    ...(recorded.message === undefined || code < 400 ? {} : { message }),
    causes: causes.map((cause) => cause.map((text) => shortenStructs(shortenPatterns(text)))),
    warnings,
    ...(recorded.object === undefined || object === undefined || !comparesObject
      ? {}
      : { object: withoutVolatileFields(JSON.parse(JSON.stringify(object)), omittedSpecFields) }),
  };
}

function comparableRecording(
  body: Body,
  { code, message, causes, warnings, object, asSent }: RecordedResponse,
  comparesObject: boolean,
): Comparable {
  const sent = namedBody(body, '');
  const unchangedMembers = Object.fromEntries((asSent ?? []).map((member) => [member, sent[member] ?? null]));
  return {
    code,
    ...(message === undefined ? {} : { message }),
    causes: causes ?? [],
    warnings: warnings ?? [],
    ...(object === undefined || !comparesObject ? {} : { object: { ...object, ...unchangedMembers } }),
  };
}

/**
 * The write path over an in-memory store. Its results contain the stored object: other versions and scales are covered
 * by other tests.
 */
async function openWritePath({ resource: plural, apiVersion }: KindHead): Promise<KindServer> {
  const fixture = await openWriteFixture();
  const resource = `${apiVersion}/${plural}`;
  const { row, hub } = fixture.resource(resource);

  async function resultOf(write: () => Promise<WriteResult>): Promise<KindWriteResult> {
    fixture.warnings.length = 0;
    try {
      const { object, created } = await write();
      await fixture.cache.catchUp();
      return { code: created ? 201 : 200, causes: [], warnings: [...fixture.warnings], object };
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      const { message = '', details } = error.status;
      const causes = (details?.causes ?? []).map(({ field = '', reason = '', message: text = '' }) => [field, reason, text] as const);
      return { code: error.code, message, causes, warnings: [...fixture.warnings] };
    }
  }

  return {
    create: (sent, { dryRun = false } = {}) => resultOf(() => fixture.create(resource, sent, { dryRun })),
    update: (name, sent, { dryRun = false, subresource } = {}) =>
      resultOf(() => fixture.update(resource, name, sent, { dryRun, ...(subresource === undefined ? {} : { subresource }) })),
    hasApiObjects: (subresource) => row === hub && subresource !== 'scale',
    close: async () => undefined,
  };
}
