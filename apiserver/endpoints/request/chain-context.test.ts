/** Parts of the request context: when they may be set and read, and what is derived from them. */
import { ChainContext } from './chain-context';
import { Query } from './query';
import type { RequestInfo, ResourceRequest } from './request-info';

class TestContext extends ChainContext {
  override addFlowHeaders(headers: Record<string, unknown>): void {
    super.addFlowHeaders(headers);
  }
}

const PODS: ResourceRequest = {
  kind: 'resource',
  path: '/api/v1/namespaces/kube-system/pods',
  verb: 'list',
  group: '',
  dialect: undefined,
  version: 'v1',
  namespace: 'platform-system',
  alias: { stored: 'platform-system', shown: 'kube-system' },
  resource: 'pods',
  name: '',
  subresource: '',
  rest: [],
  hasWatchPrefix: false,
  isUnroutable: false,
};
const ALICE = { name: 'alice', groups: [] };
const BOB = { name: 'bob', groups: [] };

const contextWith = (info: RequestInfo): TestContext => {
  const context = new TestContext('platform');
  context.setInfo(info);
  return context;
};

describe('ChainContext', () => {
  it.each(['auditId', 'info', 'user', 'deadline'] as const)('throws when %s is read before its filter has set it', (part) => {
    expect(() => new TestContext('platform')[part]).toThrow('of a request is read before it is set');
  });

  it.each<[string, (context: TestContext) => void]>([
    ['audit ID', (context) => context.setAuditId('a')],
    ['query', (context) => context.setQuery(new Query('a=b'))],
    ['request info', (context) => context.setInfo(PODS)],
    ['dialect', (context) => context.setDialect('kubernetes')],
    ['deadline', (context) => context.setDeadline(1)],
    ['user', (context) => context.setUser(ALICE)],
    ['impersonated user', (context) => context.setImpersonatedUser(BOB)],
    ['FlowSchema', (context) => context.setFlow('a', 'b')],
    ['priority', (context) => context.setPriority('bulk')],
    ['visibility of the fence', (context) => context.setFenceHidden(false)],
  ])('throws when the %s is set twice', (part, set) => {
    const context = new TestContext('platform');
    set(context);
    expect(() => set(context)).toThrow(`the ${part} of a request is set twice`);
  });

  it('has no request info, no user and an empty query for a request that failed in an early filter', () => {
    const context = new TestContext('kubernetes');
    expect(context.infoIfParsed).toBeUndefined();
    expect(context.userIfAuthenticated).toBeUndefined();
    expect(context.query.text).toBe('');
    expect(context.dialect).toBe('kubernetes');
  });

  it('processes an impersonating request as the impersonated user and keeps the authenticated one as impersonator', () => {
    const context = new TestContext('platform');
    context.setUser(ALICE);
    expect(context.user).toBe(ALICE);
    expect(context.impersonator).toBeUndefined();
    context.setImpersonatedUser(BOB);
    expect(context.user).toBe(BOB);
    expect(context.impersonator).toBe(ALICE);
  });

  it('takes the dialect of the path, and refuses another one later', () => {
    const context = contextWith({ ...PODS, group: 'apps', dialect: 'kubernetes' });
    expect(context.dialect).toBe('kubernetes');
    expect(() => context.setDialect('platform')).toThrow('the dialect of a request is set twice');
  });

  it('uses the alias of the path in the response, unless the body of the request determines it', () => {
    const context = contextWith(PODS);
    expect(context.alias).toBe(PODS.alias);
    context.setBodyAlias(undefined);
    expect(context.alias).toBeUndefined();
  });

  it('derives from the request info that a watch is long-running', () => {
    expect(contextWith(PODS).longRunning).toBeUndefined();
    expect(contextWith({ ...PODS, verb: 'watch' }).longRunning).toEqual({ seats: 'start' });
  });

  it('adds the flow headers in the dialect of the response, once a FlowSchema is set', () => {
    const headers = {};
    const context = new TestContext('kubernetes');
    context.addFlowHeaders(headers);
    expect(headers).toEqual({});
    context.setFlow('schema', 'level');
    context.addFlowHeaders(headers);
    expect(headers).toEqual({ 'X-Kubernetes-Pf-Flowschema-Uid': 'schema', 'X-Kubernetes-Pf-Prioritylevel-Uid': 'level' });
  });
});
