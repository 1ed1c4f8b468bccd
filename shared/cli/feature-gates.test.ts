import { featureGates, featureGatesFlag } from './feature-gates';
import { parseFlags } from './flags';

const table = { 'feature-gates': featureGatesFlag('Misc') };

function parse(...argv: string[]) {
  return parseFlags({ name: 'x', description: 'x' }, table, argv);
}

function gatesOf(...argv: string[]) {
  const parsed = parse(...argv);
  if (parsed.kind !== 'values') throw new Error(JSON.stringify(parsed));
  return parsed.values['feature-gates'];
}

describe('feature gates', () => {
  it('are off when alpha and on when beta', () => {
    for (const gate of featureGates().all()) expect(gate.enabled).toBe(gate.stage !== 'alpha');
    expect(gatesOf().enabled('WatchList')).toBe(false);
  });

  it('are set by pairs, also over several flags', () => {
    const gates = gatesOf('--feature-gates=WatchList=true', '--feature-gates=APIResponseCompression=False');
    expect(gates.enabled('WatchList')).toBe(true);
    expect(gates.enabled('APIResponseCompression')).toBe(false);
  });

  it('let the last setting win', () => {
    expect(gatesOf('--feature-gates=WatchList=true,WatchList=false').enabled('WatchList')).toBe(false);
  });

  it.each([
    ['Levitation=true', /unrecognized feature gate: Levitation/],
    ['toString=true', /unrecognized feature gate: toString/],
    ['APISelfSubjectReview=false', /cannot set feature gate APISelfSubjectReview to false, feature is locked to true/],
    [
      'AdmissionWebhookMatchConditions=false',
      /cannot set feature gate AdmissionWebhookMatchConditions to false, feature is locked to true/,
    ],
    ['JobManagedBy=true', /cannot set feature gate JobManagedBy to true, feature is locked to false/],
    ['JobManagedBy=maybe', /must be true or false/],
    ['other:WatchList=true', /component not registered: other/],
    ['AllAlpha=perhaps', /must be true or false/],
    ['WatchList', /must be true or false/],
    ['WatchList=yes', /must be true or false/],
  ])('refuse %s', (text, message) => {
    const parsed = parse(`--feature-gates=${text}`);
    expect(parsed.kind === 'error' ? parsed.message : '').toMatch(message);
  });

  it('are set by stage, but for those that are named', () => {
    const gates = gatesOf('--feature-gates=AllBeta=false,APIResponseCompression=true,AllAlpha=true,ProxyTerminatingEndpoints=true');
    expect(gates.enabled('WatchList')).toBe(true);
    expect(gates.enabled('APIResponseCompression')).toBe(true);
    expect(gates.enabled('ServiceTrafficDistribution')).toBe(false);
  });

  it("may be upstream's others, at their defaults, and may be said to be upstream's", () => {
    const pairs = ['JobManagedBy=false', 'ConsistentListFromCache=true', 'ServerSideApply=true', 'KMSv1=false', 'kube:WatchList=true'];
    expect(gatesOf(`--feature-gates=${pairs.join()}`).enabled('WatchList')).toBe(true);
    expect(gatesOf('--feature-gates=kube:AllAlpha=true').enabled('WatchList')).toBe(true);
  });

  it('are described in the help', () => {
    expect(table['feature-gates'].help).toContain('WatchList=true|false (ALPHA - default=false)');
  });
});
