/** Audit events as lines: their members, both formats, the length limit, and the reuse of an earlier stage's line. */
import { auditEvent, eventText } from '../../test/support/objects/audit-event';
import type { AuditEvent } from './event';
import { writeEvent } from './event-line';
import { LineBuffer } from './line-buffer';

describe('an audit event', () => {
  const annotations = new Map([
    ['platform.io/deprecated', 'true'],
    ['authorization.platform.io/decision', 'allow'],
  ]);
  const event = auditEvent('1', { annotations });

  it('is one line of JSON with escaped markup', () => {
    expect(eventText(event)).toBe(
      '{"kind":"Event","apiVersion":"audit.platform.io/v1","level":"Metadata","auditID":"1","stage":"ResponseComplete",' +
        String.raw`"requestURI":"/api?a=\u003cb\u003e","verb":"get","user":{"username":"u","groups":["g"]},"sourceIPs":["10.0.0.9"],"userAgent":"agent",` +
        '"responseStatus":{"metadata":{},"code":200},"requestReceivedTimestamp":"2023-11-14T22:13:20.000250Z",' +
        '"stageTimestamp":"2023-11-14T22:13:20.001500Z",' +
        '"annotations":{"platform.io/deprecated":"true","authorization.platform.io/decision":"allow"}}',
    );
  });

  it('has its group and annotations in the dialect of the log', () => {
    expect(JSON.parse(eventText(event, { dialect: 'kubernetes' }) ?? '')).toMatchObject({
      apiVersion: 'audit.k8s.io/v1',
      requestURI: '/api?a=<b>',
      annotations: { 'authorization.k8s.io/decision': 'allow', 'k8s.io/deprecated': 'true' },
    });
  });

  it('escapes quotes in the audit ID', () => {
    const id = '","user":{"username":"x\\';
    const parsed: unknown = JSON.parse(eventText(auditEvent(id)) ?? '');
    expect(parsed).toMatchObject({ auditID: id, user: { username: 'u' } });
  });

  it('in the legacy format is one line of text with the user, the impersonated user and their groups', () => {
    const impersonated = { name: 'dev', groups: ['a', 'b'] };
    expect(eventText(auditEvent('1', { impersonated }), { format: 'legacy' })).toBe(
      String.raw`2023-11-14T22:13:20.000250Z AUDIT: id="1" stage="ResponseComplete" ip="10.0.0.9" method="get" user="u" groups="\"g\"" as="dev" ` +
        String.raw`asgroups="\"a\",\"b\"" user-agent="agent" namespace="<none>" uri="/api?a=<b>" response="200"`,
    );
  });

  it('in the legacy format has placeholders for what is unknown', () => {
    expect(eventText(auditEvent('1', { code: undefined, user: undefined }), { format: 'legacy' })).toContain(
      'user="<none>" groups="<none>" as="<self>" asgroups="<lookup>" user-agent="agent" namespace="<none>" uri="/api?a=<b>" response="<deferred>"',
    );
  });

  const longEvent = auditEvent('1', { requestObject: `{"data":"${'x'.repeat(1000)}"}` });

  it('with objects over the length limit is written without them and annotated as truncated', () => {
    const text = eventText(longEvent, { maxEventBytes: 600 }) ?? '';
    expect(JSON.parse(text)).toMatchObject({ annotations: { 'audit.platform.io/truncated': 'true' } });
    expect(text).not.toContain('requestObject');
  });

  it('leaves no line when it exceeds the length limit without its objects', () => {
    expect(eventText(longEvent, { maxEventBytes: 100 })).toBeUndefined();
  });

  it('contains its objects, whatever their length, when there is no limit', () => {
    expect(eventText(longEvent, { maxEventBytes: undefined })).toContain('requestObject');
  });
});

describe('the audit line of the second stage of a request', () => {
  /** Both stages of a new request. They share the subject, and with it the position of the first line. */
  function createStages(): readonly [received: AuditEvent, complete: AuditEvent] {
    const received = auditEvent('1', { stage: 'RequestReceived', responseStatus: undefined });
    const responseStatus = '{"metadata":{},"code":201}';
    return [received, { ...received, stage: 'ResponseComplete', code: 201, responseStatus, at: received.at + 1 }];
  }

  /** Writes both stages, and changes the buffer after the first. Returns the second line, and whether it copies from the first. */
  function writeStages(
    changeBuffer: (buffer: LineBuffer) => void,
    changes: Partial<AuditEvent> = {},
  ): { readonly line: string; readonly isReused: boolean } {
    const [received, complete] = createStages();
    const buffer = new LineBuffer(64);
    const repeat = jest.spyOn(buffer, 'repeat');
    writeEvent(buffer, received, { format: 'json', dialect: 'platform' }, 'with-objects');
    changeBuffer(buffer);
    const start = buffer.length;
    writeEvent(buffer, { ...complete, ...changes }, { format: 'json', dialect: 'platform' }, 'with-objects');
    return { line: buffer.written.toString('utf8', start), isReused: repeat.mock.calls.length > 0 };
  }

  /** The line of the second stage without a first one. */
  const lineFromScratch = (changes: Partial<AuditEvent> = {}): string => eventText({ ...createStages()[1], ...changes }) ?? '';

  it.each<[title: string, changeBuffer: (buffer: LineBuffer) => void]>([
    ['is just before it', () => undefined],
    ['is before other lines', (buffer) => buffer.writeRaw('x'.repeat(1000))],
  ])('copies members of the first line when that %s', (_position, changeBuffer) => {
    expect(writeStages(changeBuffer)).toEqual({ line: lineFromScratch(), isReused: true });
  });

  it.each<[title: string, changeBuffer: (buffer: LineBuffer) => void]>([
    ['was flushed', (buffer) => buffer.clear()],
    [
      'was replaced by other lines',
      (buffer) => {
        buffer.clear();
        buffer.writeRaw('x'.repeat(300));
      },
    ],
    ['was cut', (buffer) => buffer.truncate(0)],
  ])('is written from scratch when the first line %s', (_title, changeBuffer) => {
    expect(writeStages(changeBuffer)).toEqual({ line: lineFromScratch(), isReused: false });
  });

  it('contains the object, impersonation and user that became known after the first', () => {
    const object = {
      resource: 'pods',
      namespace: 'n',
      name: 'a',
      uid: '',
      apiGroup: '',
      apiVersion: 'v1',
      resourceVersion: '',
      subresource: '',
    };
    const contextChanges = [{ object }, { impersonated: { name: 'dev', groups: [] } }, { user: { name: 'v', groups: [] } }];
    for (const changes of contextChanges)
      expect(writeStages(() => undefined, changes)).toEqual({ line: lineFromScratch(changes), isReused: false });
  });
});
