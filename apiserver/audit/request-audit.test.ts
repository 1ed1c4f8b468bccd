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

interface TrailOptions {
  readonly status?: number;
  readonly isLongRunning?: boolean;
  readonly omitsManagedFields?: boolean;
}

function createFixture(
  level: AuditLevel,
  more: TrailOptions,
  now: () => number,
): { readonly trail: RequestAudit; readonly events: AuditEvent[] } {
  const events: AuditEvent[] = [];
  const trail = new RequestAudit(
    {
      policy: () => ({ level, omittedStages: new Set(['RequestReceived']), omitsManagedFields: more.omitsManagedFields ?? false }),
      now,
      record: (event) => events.push(event) > 0,
      onDecided: () => undefined,
    },
    { auditId: '1', requestUri: '/', verb: 'create', sourceIps: [], userAgent: '', receivedAt: 0, written: undefined },
    { kind: 'resource', verb: 'create', group: '', resource: 'pods', subresource: '', namespace: 'n', name: '' },
    OBJECT,
    { user: USER, impersonator: undefined, status: more.status ?? 201 },
    more.isLongRunning ?? false,
  );
  return { trail, events };
}

/** The events of a request at the given level, after `act` has recorded what happened to it. */
function eventsOf(level: AuditLevel, act: (trail: RequestAudit) => void, more: TrailOptions = {}): AuditEvent[] {
  const { trail, events } = createFixture(level, more, () => 1);
  trail.recordReceived();
  act(trail);
  trail.recordCompleted();
  return events;
}

const sendObject = (object: { readonly metadata?: JsonObject; readonly data?: string }) => (trail: RequestAudit) => {
  const text = JSON.stringify(object);
  trail.addObjectMetadata(object.metadata ?? {});
  trail.recordRequestObject(text.length, () => `${text}\n`);
};

it.each<[AuditLevel, boolean, boolean]>([
  ['Metadata', false, false],
  ['Request', true, false],
  ['RequestResponse', true, true],
])('audit trail at level %s records request object: %p, response object: %p', (level, request, response) => {
  const [event] = eventsOf(level, (trail) => {
    sendObject({ metadata: { name: 'p', uid: 'u-1' }, data: 'secret' })(trail);
    trail.recordRejection({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 409 });
  });
  expect([event?.requestObject !== undefined, event?.responseObject !== undefined]).toEqual([request, response]);
  expect(event?.object).toEqual({ ...OBJECT, name: 'p', uid: 'u-1' });
  expect(event?.responseStatus).toBe('{"metadata":{},"status":"Failure","code":201}');
});

it('a request audit records only the code of a rejection without a negotiated representation', () => {
  const [event] = eventsOf('RequestResponse', (trail) => trail.recordRejection(undefined), { status: 406 });
  expect([event?.responseStatus, event?.responseObject]).toEqual(['{"metadata":{},"code":406}', undefined]);
});

it('a request audit records the first request object', () => {
  const [event] = eventsOf('Request', (trail) => {
    sendObject({ data: 'first' })(trail);
    sendObject({ data: 'again' })(trail);
  });
  expect(event?.requestObject).toBe('{"data":"first"}');
});

it.each([
  [500, undefined],
  [
    501.5,
    {
      'apiserver.latency.platform.io/etcd': '400.5ms',
      'apiserver.latency.platform.io/apf-queue-wait': '100ms',
      'apiserver.latency.platform.io/total': '501.5ms',
    },
  ],
])('audit trail annotates latencies of a request of %p ms when it takes longer than 500 ms', async (total, expected) => {
  const clock = { now: 0 };
  const stored = async (trail: RequestAudit, ms: number): Promise<void> => {
    const wait = trail.timeStoreCall(Promise.resolve());
    clock.now += ms;
    await wait;
  };
  const { trail, events } = createFixture('Metadata', {}, () => clock.now);
  trail.recordReceived();
  await stored(trail, 200);
  trail.startQueueWait();
  clock.now += 100;
  trail.endQueueWait();
  await stored(trail, 200.5);
  await expect(trail.timeStoreCall(Promise.reject(new Error('lost')))).rejects.toThrow('lost');
  clock.now = total;
  trail.recordCompleted();
  expect(events.map(({ annotations }) => annotations && Object.fromEntries(annotations))).toEqual([expected]);
});

it('a request audit does not annotate the latency of a watch', () => {
  const { trail, events } = createFixture('Metadata', { isLongRunning: true }, () => 1000);
  trail.recordReceived();
  trail.recordCompleted();
  expect(events[0]?.annotations).toBeUndefined();
});

it('a request audit omits managed fields of objects in a Table', () => {
  const rows = (metadata: JsonObject): JsonObject => ({ kind: 'Table', rows: [{ cells: ['p'], object: { metadata } }] });
  const table = JSON.stringify(rows({ name: 'p', managedFields: [] }));
  const [event] = eventsOf('RequestResponse', (trail) => trail.recordResponseObject(table.length, () => table), {
    omitsManagedFields: true,
  });
  expect(event?.responseObject).toBe(JSON.stringify(rows({ name: 'p' })));
});

it('a request audit omits managed fields of objects and of list items', () => {
  const managed = { name: 'p', managedFields: [{ manager: 'm' }] };
  const [event] = eventsOf(
    'RequestResponse',
    (trail) => {
      sendObject({ metadata: managed })(trail);
      trail.recordResponseObject(1, () => JSON.stringify({ metadata: {}, items: [{ metadata: managed }] }));
    },
    { omitsManagedFields: true },
  );
  expect(event?.requestObject).toBe('{"metadata":{"name":"p"}}');
  expect(event?.responseObject).toBe('{"metadata":{},"items":[{"metadata":{"name":"p"}}]}');
});

it('a request audit omits objects over the length limit and is annotated as truncated', () => {
  const [event] = eventsOf('RequestResponse', (trail) => {
    sendObject({ data: 'x'.repeat(1024 * 1024) })(trail);
    trail.recordResponseObject(1024 * 1024 + 1, () => {
      throw new Error('it should not have been made');
    });
  });
  expect([event?.requestObject, event?.responseObject, event?.annotations]).toEqual([
    undefined,
    undefined,
    new Map([['audit.platform.io/truncated', 'true']]),
  ]);
});

it('a request audit records ResponseStarted of a long-running request, Panic, and a connection that the client closed early', () => {
  const stages = (...events: AuditEvent[]): unknown => events.map(({ stage, code }) => [stage, code]);
  const twice = (trail: RequestAudit): void => {
    trail.recordResponseStarted();
    trail.recordResponseStarted();
  };
  expect(stages(...eventsOf('Metadata', twice, { isLongRunning: true }))).toEqual([
    ['ResponseStarted', 201],
    ['ResponseComplete', 201],
  ]);
  expect(stages(...eventsOf('Metadata', twice))).toEqual([['ResponseComplete', 201]]);
  expect(stages(...eventsOf('Metadata', (trail) => trail.markPanic(), { status: 500 }))).toEqual([['Panic', 500]]);
  const [closedEarly] = eventsOf('Metadata', () => undefined, { status: 0 });
  expect(closedEarly?.responseStatus).toBe('{"metadata":{},"status":"Success","message":"Connection closed early","code":200}');
});

it('a request audit preserves the first of two annotations with one key', () => {
  const [event] = eventsOf('Metadata', (trail) => {
    trail.annotate('a', '1');
    trail.annotate('a', '2');
  });
  expect(event?.annotations).toEqual(new Map([['a', '1']]));
});
