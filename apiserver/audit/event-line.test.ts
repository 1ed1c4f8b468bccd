import { auditEvent, eventText } from '../../test/support/objects/audit-event';

it('an audit event is one line of JSON with escaped markup, in either dialect', () => {
  const annotations = new Map([
    ['platform.io/deprecated', 'true'],
    ['authorization.platform.io/decision', 'allow'],
  ]);
  const event = auditEvent('1', { annotations });
  expect(eventText(event)).toBe(
    '{"kind":"Event","apiVersion":"audit.platform.io/v1","level":"Metadata","auditID":"1","stage":"ResponseComplete",' +
      String.raw`"requestURI":"/api?a=\u003cb\u003e","verb":"get","user":{"username":"u","groups":["g"]},"sourceIPs":["10.0.0.9"],"userAgent":"agent",` +
      '"responseStatus":{"metadata":{},"code":200},"requestReceivedTimestamp":"2023-11-14T22:13:20.000250Z",' +
      '"stageTimestamp":"2023-11-14T22:13:20.001500Z",' +
      '"annotations":{"platform.io/deprecated":"true","authorization.platform.io/decision":"allow"}}',
  );
  expect(JSON.parse(eventText(event, { dialect: 'kubernetes' }) ?? '')).toMatchObject({
    apiVersion: 'audit.k8s.io/v1',
    requestURI: '/api?a=<b>',
    annotations: { 'authorization.k8s.io/decision': 'allow', 'k8s.io/deprecated': 'true' },
  });
});

it('an audit event escapes quotes in the audit ID', () => {
  const id = '","user":{"username":"x\\';
  const parsed: unknown = JSON.parse(eventText(auditEvent(id)) ?? '');
  expect(parsed).toMatchObject({ auditID: id, user: { username: 'u' } });
});

it('an audit event in the legacy format is one line of text', () => {
  const impersonated = { name: 'dev', groups: ['a', 'b'] };
  expect(eventText(auditEvent('1', { impersonated }), { format: 'legacy' })).toBe(
    String.raw`2023-11-14T22:13:20.000250Z AUDIT: id="1" stage="ResponseComplete" ip="10.0.0.9" method="get" user="u" groups="\"g\"" as="dev" ` +
      String.raw`asgroups="\"a\",\"b\"" user-agent="agent" namespace="<none>" uri="/api?a=<b>" response="200"`,
  );
  expect(eventText(auditEvent('1', { code: undefined, user: undefined }), { format: 'legacy' })).toContain(
    'user="<none>" groups="<none>" as="<self>" asgroups="<lookup>" user-agent="agent" namespace="<none>" uri="/api?a=<b>" response="<deferred>"',
  );
});

it('an audit event over the length limit drops its objects and is annotated as truncated, or is dropped', () => {
  const event = auditEvent('1', { requestObject: `{"data":"${'x'.repeat(1000)}"}` });
  const text = eventText(event, { maxEventBytes: 600 }) ?? '';
  expect(JSON.parse(text)).toMatchObject({ annotations: { 'audit.platform.io/truncated': 'true' } });
  expect(text).not.toContain('requestObject');
  expect(eventText(event, { maxEventBytes: 100 })).toBeUndefined();
  expect(eventText(event, { maxEventBytes: undefined })).toContain('requestObject');
});
