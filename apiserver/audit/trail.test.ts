import type { JsonObject } from '../../shared/values/json';
import type { AuditEvent } from './event';
import type { AuditLevel } from './policy-format';
import { Trail } from './trail';

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

interface Sort {
  readonly status?: number;
  readonly lasting?: boolean;
  readonly lean?: boolean;
}

function trailOf(level: AuditLevel, more: Sort, now: () => number): { readonly trail: Trail; readonly events: AuditEvent[] } {
  const events: AuditEvent[] = [];
  const trail = new Trail(
    {
      policy: () => ({ level, omits: new Set(['RequestReceived']), omitsManagedFields: more.lean ?? false }),
      now,
      record: (event) => events.push(event) > 0,
      decided: () => undefined,
    },
    { auditId: '1', requestUri: '/', verb: 'create', sourceIps: [], userAgent: '', receivedAt: 0, written: undefined },
    { kind: 'resource', verb: 'create', group: '', resource: 'pods', subresource: '', namespace: 'n', name: '' },
    OBJECT,
    { user: USER, impersonator: undefined, status: more.status ?? 201 },
    more.lasting ?? false,
  );
  return { trail, events };
}

/** The events of a request at a level, after what happens to it. */
function eventsOf(level: AuditLevel, happen: (trail: Trail) => void, more: Sort = {}): AuditEvent[] {
  const { trail, events } = trailOf(level, more, () => 1);
  trail.received();
  happen(trail);
  trail.finished();
  return events;
}

const sent = (object: { readonly metadata?: JsonObject; readonly data?: string }) => (trail: Trail) => {
  const text = JSON.stringify(object);
  trail.names(object.metadata ?? {});
  trail.requested(text.length, () => `${text}\n`);
};

it.each<[AuditLevel, boolean, boolean]>([
  ['Metadata', false, false],
  ['Request', true, false],
  ['RequestResponse', true, true],
])('audit trail at level %s records request object: %p, response object: %p', (level, request, response) => {
  const [event] = eventsOf(level, (trail) => {
    sent({ metadata: { name: 'p', uid: 'u-1' }, data: 'secret' })(trail);
    trail.refused({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 409 });
  });
  expect([event?.requestObject !== undefined, event?.responseObject !== undefined]).toEqual([request, response]);
  expect(event?.object).toEqual({ ...OBJECT, name: 'p', uid: 'u-1' });
  expect(event?.responseStatus).toBe('{"metadata":{},"status":"Failure","code":201}');
});

it('audit trail records only the code of a rejection without a negotiated representation', () => {
  const [event] = eventsOf('RequestResponse', (trail) => trail.refused(undefined), { status: 406 });
  expect([event?.responseStatus, event?.responseObject]).toEqual(['{"metadata":{},"code":406}', undefined]);
});

it('audit trail records the first request object', () => {
  const [event] = eventsOf('Request', (trail) => {
    sent({ data: 'first' })(trail);
    sent({ data: 'again' })(trail);
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
  const stored = async (trail: Trail, ms: number): Promise<void> => {
    const wait = trail.timed(Promise.resolve());
    clock.now += ms;
    await wait;
  };
  const { trail, events } = trailOf('Metadata', {}, () => clock.now);
  trail.received();
  await stored(trail, 200);
  trail.waits();
  clock.now += 100;
  trail.goesOn();
  await stored(trail, 200.5);
  await expect(trail.timed(Promise.reject(new Error('lost')))).rejects.toThrow('lost');
  clock.now = total;
  trail.finished();
  expect(events.map(({ annotations }) => annotations && Object.fromEntries(annotations))).toEqual([expected]);
});

it('audit trail does not annotate the latency of a watch', () => {
  const { trail, events } = trailOf('Metadata', { lasting: true }, () => 1000);
  trail.received();
  trail.finished();
  expect(events[0]?.annotations).toBeUndefined();
});

it('audit trail omits managed fields of objects in a Table', () => {
  const rows = (metadata: JsonObject): JsonObject => ({ kind: 'Table', rows: [{ cells: ['p'], object: { metadata } }] });
  const table = JSON.stringify(rows({ name: 'p', managedFields: [] }));
  const [event] = eventsOf('RequestResponse', (trail) => trail.answered(table.length, () => table), { lean: true });
  expect(event?.responseObject).toBe(JSON.stringify(rows({ name: 'p' })));
});

it('audit trail omits managed fields of objects and of list items', () => {
  const managed = { name: 'p', managedFields: [{ manager: 'm' }] };
  const [event] = eventsOf(
    'RequestResponse',
    (trail) => {
      sent({ metadata: managed })(trail);
      trail.answered(1, () => JSON.stringify({ metadata: {}, items: [{ metadata: managed }] }));
    },
    { lean: true },
  );
  expect(event?.requestObject).toBe('{"metadata":{"name":"p"}}');
  expect(event?.responseObject).toBe('{"metadata":{},"items":[{"metadata":{"name":"p"}}]}');
});

it('audit trail omits objects over the length limit and is annotated as truncated', () => {
  const [event] = eventsOf('RequestResponse', (trail) => {
    sent({ data: 'x'.repeat(1024 * 1024) })(trail);
    trail.answered(1024 * 1024 + 1, () => {
      throw new Error('it should not have been made');
    });
  });
  expect([event?.requestObject, event?.responseObject, event?.annotations]).toEqual([
    undefined,
    undefined,
    new Map([['audit.platform.io/truncated', 'true']]),
  ]);
});

it('audit trail records ResponseStarted of a long-running request, Panic, and a connection that the client closed early', () => {
  const stages = (...events: AuditEvent[]): unknown => events.map(({ stage, code }) => [stage, code]);
  const twice = (trail: Trail): void => {
    trail.headSent();
    trail.headSent();
  };
  expect(stages(...eventsOf('Metadata', twice, { lasting: true }))).toEqual([
    ['ResponseStarted', 201],
    ['ResponseComplete', 201],
  ]);
  expect(stages(...eventsOf('Metadata', twice))).toEqual([['ResponseComplete', 201]]);
  expect(stages(...eventsOf('Metadata', (trail) => trail.panic(), { status: 500 }))).toEqual([['Panic', 500]]);
  const [gone] = eventsOf('Metadata', () => undefined, { status: 0 });
  expect(gone?.responseStatus).toBe('{"metadata":{},"status":"Success","message":"Connection closed early","code":200}');
});

it('audit trail keeps the first of two annotations with one key', () => {
  const [event] = eventsOf('Metadata', (trail) => {
    trail.annotate('a', '1');
    trail.annotate('a', '2');
  });
  expect(event?.annotations).toEqual(new Map([['a', '1']]));
});
