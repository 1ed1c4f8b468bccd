import type { JsonObject } from '../../shared/values/json';
import { AuditSubject, type AuditEvent } from './event';
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
const KIND = { group: 'apps', version: 'v1', kind: 'Thing' };

/** The events of a request at a level, after what happens to it. */
function eventsOf(
  level: AuditLevel,
  happen: (trail: Trail) => void,
  more: { status?: number; lasting?: boolean; lean?: boolean } = {},
): AuditEvent[] {
  const events: AuditEvent[] = [];
  const trail = new Trail(
    {
      naming: 'platform',
      policy: () => ({ level, omits: new Set(['RequestReceived']), omitsManagedFields: more.lean ?? false }),
      now: () => 1,
      record: (event) => events.push(event) > 0,
      decided: () => undefined,
    },
    new AuditSubject('1', '/', 'create', [], '', 0),
    { kind: 'resource', verb: 'create', group: '', resource: 'pods', subresource: '', namespace: 'n', name: '' },
    OBJECT,
    { user: USER, impersonator: undefined, status: more.status ?? 201 },
    more.lasting ?? false,
  );
  trail.received();
  happen(trail);
  trail.finished();
  return events;
}

const sent = (object: JsonObject) => (trail: Trail) => trail.requested(object, KIND);

it.each<[AuditLevel, boolean, boolean]>([
  ['Metadata', false, false],
  ['Request', true, false],
  ['RequestResponse', true, true],
])('keeps at %s no more than it may', (level, request, response) => {
  const [event] = eventsOf(level, (trail) => {
    sent({ metadata: { name: 'p', uid: 'u-1' }, data: 'secret' })(trail);
    trail.refused({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 409 });
  });
  expect([event?.requestObject !== undefined, event?.responseObject !== undefined]).toEqual([request, response]);
  expect(event?.object).toEqual({ ...OBJECT, name: 'p', uid: 'u-1' });
  expect(event?.responseStatus).toBe('{"metadata":{},"status":"Failure","code":201}');
});

it('completes what a client may leave out', () => {
  const [event] = eventsOf('Request', sent({ a: 1 }));
  expect(event?.requestObject).toBe('{"kind":"Thing","apiVersion":"apps/v1","a":1}');
});

it('leaves out managed fields, of lists too', () => {
  const managed = { name: 'p', managedFields: [{ manager: 'm' }] };
  const [event] = eventsOf(
    'RequestResponse',
    (trail) => {
      sent({ metadata: managed })(trail);
      trail.answered(1, () => JSON.stringify({ metadata: {}, items: [{ metadata: managed }] }));
    },
    { lean: true },
  );
  expect(event?.requestObject).toBe('{"kind":"Thing","apiVersion":"apps/v1","metadata":{"name":"p"}}');
  expect(event?.responseObject).toBe('{"metadata":{},"items":[{"metadata":{"name":"p"}}]}');
});

it('leaves out objects that are too long, and says so', () => {
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

it('tells when the answer of a request that lasts begins, how one ends for a reason of ours, and that a client has gone', () => {
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

it('keeps the first of two annotations', () => {
  const [event] = eventsOf('Metadata', (trail) => {
    trail.annotate('a', '1');
    trail.annotate('a', '2');
  });
  expect(event?.annotations).toEqual(new Map([['a', '1']]));
});
