/** What the audit events of one request contain, at each level and stage. */
import type { JsonObject } from '../../shared/values/json';
import type { AuditEvent } from './event';
import type { AuditLevel } from './policy-format';
import { RequestAudit } from './request-audit';

const USER = { name: 'u', groups: [] };
const OBJECT = {
  resource: 'pods',
  namespace: 'n',
  name: '',
  uid: '',
  apiGroup: '',
  apiVersion: 'v1',
  resourceVersion: '',
  subresource: '',
};

interface FixtureOptions {
  readonly status?: number;
  readonly isLongRunning?: boolean;
  readonly omitsManagedFields?: boolean;
}

/** A request at the given level, and the events that it has recorded; events of the stage RequestReceived are omitted. */
function createFixture(
  level: AuditLevel,
  options: FixtureOptions,
  now: () => number,
): { readonly audit: RequestAudit; readonly events: AuditEvent[] } {
  const events: AuditEvent[] = [];
  const audit = new RequestAudit(
    {
      policy: () => ({ level, omittedStages: new Set(['RequestReceived']), omitsManagedFields: options.omitsManagedFields ?? false }),
      now,
      record: (event) => events.push(event) > 0,
      onDecided: () => undefined,
    },
    { auditId: '1', requestUri: '/', verb: 'create', sourceIps: [], userAgent: '', receivedAt: 0, written: undefined },
    {
      request: { kind: 'resource', verb: 'create', group: '', resource: 'pods', subresource: '', namespace: 'n', name: '' },
      object: OBJECT,
      state: { user: USER, impersonator: undefined, status: options.status ?? 201 },
      isLongRunning: options.isLongRunning ?? false,
    },
  );
  return { audit, events };
}

/** The events of a request at the given level, after `act` has recorded what happened to it. */
function eventsOf(level: AuditLevel, act: (audit: RequestAudit) => void, options: FixtureOptions = {}): AuditEvent[] {
  const { audit, events } = createFixture(level, options, () => 1);
  audit.recordReceived();
  act(audit);
  audit.recordCompleted();
  return events;
}

/** Reports a request object as the handlers do: its metadata, then its text. */
const sendObject = (object: { readonly metadata?: JsonObject; readonly data?: string }) => (audit: RequestAudit) => {
  const text = JSON.stringify(object);
  audit.addObjectMetadata(object.metadata ?? {});
  audit.recordRequestObject(text.length, () => `${text}\n`);
};

describe('a request audit', () => {
  it.each<[level: AuditLevel, title: string, { readonly hasRequestObject: boolean; readonly hasResponseObject: boolean }]>([
    ['Metadata', 'no object', { hasRequestObject: false, hasResponseObject: false }],
    ['Request', 'the request object', { hasRequestObject: true, hasResponseObject: false }],
    ['RequestResponse', 'the request object and the response object', { hasRequestObject: true, hasResponseObject: true }],
  ])('at level %s records %s', (level, _title, { hasRequestObject, hasResponseObject }) => {
    const [event] = eventsOf(level, (audit) => {
      sendObject({ metadata: { name: 'p', uid: 'u-1' }, data: 'secret' })(audit);
      audit.recordRejection({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 409 });
    });
    expect(event?.requestObject !== undefined).toBe(hasRequestObject);
    expect(event?.responseObject !== undefined).toBe(hasResponseObject);
    expect(event?.object).toEqual({ ...OBJECT, name: 'p', uid: 'u-1' });
    // The code is that of the response, 201 in this fixture.
    expect(event?.responseStatus).toBe('{"metadata":{},"status":"Failure","code":201}');
  });

  it('records only the code of a rejection without a negotiated representation', () => {
    const [event] = eventsOf('RequestResponse', (audit) => audit.recordRejection(undefined), { status: 406 });
    expect(event?.responseStatus).toBe('{"metadata":{},"code":406}');
    expect(event?.responseObject).toBeUndefined();
  });

  it('records the first request object', () => {
    const [event] = eventsOf('Request', (audit) => {
      sendObject({ data: 'first' })(audit);
      sendObject({ data: 'again' })(audit);
    });
    expect(event?.requestObject).toBe('{"data":"first"}');
  });

  it.each<[title: string, totalMs: number, annotations: Readonly<Record<string, string>> | undefined]>([
    ['does not annotate the latency of a request of 500 ms', 500, undefined],
    [
      'annotates the latencies of a request of more than 500 ms',
      501.5,
      {
        'apiserver.latency.platform.io/etcd': '400.5ms',
        'apiserver.latency.platform.io/apf-queue-wait': '100ms',
        'apiserver.latency.platform.io/total': '501.5ms',
      },
    ],
  ])('%s', async (_title, totalMs, expected) => {
    const clock = { now: 0 };
    const waitForStore = async (audit: RequestAudit, ms: number): Promise<void> => {
      const wait = audit.timeStoreCall(Promise.resolve());
      clock.now += ms;
      await wait;
    };
    const { audit, events } = createFixture('Metadata', {}, () => clock.now);
    audit.recordReceived();
    await waitForStore(audit, 200);
    audit.startQueueWait();
    clock.now += 100;
    audit.endQueueWait();
    await waitForStore(audit, 200.5);
    // A failed call counts as well; this one takes no time.
    await expect(audit.timeStoreCall(Promise.reject(new Error('lost')))).rejects.toThrow('lost');
    clock.now = totalMs;
    audit.recordCompleted();
    expect(events.map(({ annotations }) => annotations && Object.fromEntries(annotations))).toEqual([expected]);
  });

  it('does not annotate the latency of a watch', () => {
    const { audit, events } = createFixture('Metadata', { isLongRunning: true }, () => 1000);
    audit.recordReceived();
    audit.recordCompleted();
    const [event] = events;
    expect(event?.annotations).toBeUndefined();
  });

  it('omits managed fields of objects in a Table', () => {
    const rows = (metadata: JsonObject): JsonObject => ({ kind: 'Table', rows: [{ cells: ['p'], object: { metadata } }] });
    const table = JSON.stringify(rows({ name: 'p', managedFields: [] }));
    const [event] = eventsOf('RequestResponse', (audit) => audit.recordResponseObject(table.length, () => table), {
      omitsManagedFields: true,
    });
    expect(event?.responseObject).toBe(JSON.stringify(rows({ name: 'p' })));
  });

  it('omits managed fields of objects and of list items', () => {
    const managed = { name: 'p', managedFields: [{ manager: 'm' }] };
    const [event] = eventsOf(
      'RequestResponse',
      (audit) => {
        sendObject({ metadata: managed })(audit);
        audit.recordResponseObject(1, () => JSON.stringify({ metadata: {}, items: [{ metadata: managed }] }));
      },
      { omitsManagedFields: true },
    );
    expect(event?.requestObject).toBe('{"metadata":{"name":"p"}}');
    expect(event?.responseObject).toBe('{"metadata":{},"items":[{"metadata":{"name":"p"}}]}');
  });

  it('omits objects over the length limit and is annotated as truncated', () => {
    const [event] = eventsOf('RequestResponse', (audit) => {
      sendObject({ data: 'x'.repeat(1024 * 1024) })(audit);
      audit.recordResponseObject(1024 * 1024 + 1, () => {
        throw new Error('the text must not be created');
      });
    });
    expect(event?.requestObject).toBeUndefined();
    expect(event?.responseObject).toBeUndefined();
    expect(event?.annotations).toEqual(new Map([['audit.platform.io/truncated', 'true']]));
  });

  it('records the stage ResponseStarted once, and only of a long-running request', () => {
    const startTwice = (audit: RequestAudit): void => {
      audit.recordResponseStarted();
      audit.recordResponseStarted();
    };
    const stagesOf = (events: readonly AuditEvent[]): readonly string[] => events.map(({ stage }) => stage);
    expect(stagesOf(eventsOf('Metadata', startTwice, { isLongRunning: true }))).toEqual(['ResponseStarted', 'ResponseComplete']);
    expect(stagesOf(eventsOf('Metadata', startTwice, { isLongRunning: false }))).toEqual(['ResponseComplete']);
  });

  it('records the stage Panic in place of ResponseComplete after a server error', () => {
    const events = eventsOf('Metadata', (audit) => audit.markPanic(), { status: 500 });
    expect(events).toMatchObject([{ stage: 'Panic', code: 500 }]);
  });

  it('records a connection that the client closed before the response as upstream does', () => {
    const [event] = eventsOf('Metadata', () => undefined, { status: 0 });
    expect(event?.responseStatus).toBe('{"metadata":{},"status":"Success","message":"Connection closed early","code":200}');
  });

  it('preserves the first of two annotations with one name', () => {
    const [event] = eventsOf('Metadata', (audit) => {
      audit.annotate('a', '1');
      audit.annotate('a', '2');
    });
    expect(event?.annotations).toEqual(new Map([['a', '1']]));
  });
});
