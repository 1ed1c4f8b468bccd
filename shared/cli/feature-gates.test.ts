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

describe('the flag --feature-gates', () => {
  it('disables alpha gates and enables all others by default', () => {
    for (const gate of featureGates().list()) expect(gate.enabled).toBe(gate.stage !== 'alpha');
    expect(gatesOf().isEnabled('WatchList')).toBe(false);
  });

  it('sets gates by pairs, also when it is given several times', () => {
    const gates = gatesOf('--feature-gates=WatchList=true', '--feature-gates=APIResponseCompression=False');
    expect(gates.isEnabled('WatchList')).toBe(true);
    expect(gates.isEnabled('APIResponseCompression')).toBe(false);
  });

  it('uses the last setting of a gate that is given twice', () => {
    expect(gatesOf('--feature-gates=WatchList=true,WatchList=false').isEnabled('WatchList')).toBe(false);
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
  ])('rejects %s', (text, message) => {
    const parsed = parse(`--feature-gates=${text}`);
    expect(parsed.kind === 'error' ? parsed.message : '').toMatch(message);
  });

  it('sets gates by stage, except those that are set by name', () => {
    const gates = gatesOf('--feature-gates=AllBeta=false,APIResponseCompression=true,AllAlpha=true,ProxyTerminatingEndpoints=true');
    expect(gates.isEnabled('WatchList')).toBe(true);
    expect(gates.isEnabled('APIResponseCompression')).toBe(true);
    expect(gates.isEnabled('ServiceTrafficDistribution')).toBe(false);
  });

  it('accepts gates of upstream without an effect here at their defaults, and the component prefix kube', () => {
    const pairs = ['JobManagedBy=false', 'ConsistentListFromCache=true', 'ServerSideApply=true', 'KMSv1=false', 'kube:WatchList=true'];
    expect(gatesOf(`--feature-gates=${pairs.join()}`).isEnabled('WatchList')).toBe(true);
    expect(gatesOf('--feature-gates=kube:AllAlpha=true').isEnabled('WatchList')).toBe(true);
  });

  it('lists the gates with stage and default in its help', () => {
    expect(table['feature-gates'].help).toContain('WatchList=true|false (ALPHA - default=false)');
  });
});
