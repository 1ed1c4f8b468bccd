/** Which processes lead what, by the leases that they hold and by how often they renew them. */
import { flags } from '../../../controllers/flags';
import { settingsFromFlags } from '../../../controllers/settings-from-flags';
import { runControllers } from '../../../controllers/runtime/manager';
import { ControllerMetrics } from '../../../controllers/runtime/metrics';
import { InformerPool } from '../../../shared/client/informer/informer-pool';
import { aborted } from '../../../shared/client/signals';
import { ConnectionError } from '../../../shared/client/transport/transport';
import { parseFlags } from '../../../shared/cli/flags';
import { silentLogger } from '../../../shared/runtime/logger';
import { objectAt, stringAt } from '../../../shared/values/json';
import { FakeApi } from '../../support/fake-api';
import { fakeClient } from '../../support/fake-client';
import { ManualClock, settle } from '../../support/manual-clock';

const LEASES = '/apis/coordination.platform.io/v1/leases';

function world() {
  return { api: new FakeApi(), clock: new ManualClock() };
}

function settings() {
  const parsed = parseFlags({ name: 'test', description: '' }, flags, ['--master=http://127.0.0.1:1']);
  if (parsed.kind !== 'values') throw new Error('no flags');
  return settingsFromFlags(parsed.values).settings;
}

/** Controllers that do nothing but lead. */
function startProcess(identity: string, choice: readonly string[], { api, clock }: ReturnType<typeof world>) {
  const fake = fakeClient({ api, clock });
  const stop = new AbortController();
  const leading = new Set<string>();
  const controllers = choice.map((name) => ({
    name,
    description: name,
    aliases: [],
    isOnByDefault: true,
    account: undefined,
    run: async ({ signal }: { readonly signal: AbortSignal }) => {
      leading.add(name);
      await aborted(signal);
      leading.delete(name);
    },
  }));
  const informers = new InformerPool({ ...fake, logger: silentLogger }, stop.signal);
  const ended = runControllers(
    controllers,
    {
      ...fake,
      clientOf: () => fake.client,
      informers,
      logger: silentLogger,
      metrics: new ControllerMetrics(clock, informers),
      settings: settings(),
      identity,
      election: { namespace: 'platform-system', prefix: 'controller', durationMs: 12_000, renewDeadlineMs: 8_000, retryMs: 2_000 },
      onProblem: () => undefined,
    },
    stop.signal,
  );
  return { stop, ended, leading: () => [...leading].sort() };
}

const CHOICE = ['a', 'b', 'c', 'd'];

const holders = ({ api }: ReturnType<typeof world>) =>
  api.all(LEASES).map((lease) => [stringAt(objectAt(lease, 'metadata'), 'name'), stringAt(objectAt(lease, 'spec'), 'holderIdentity')]);

/** Nothing that the process writes arrives any more. */
function kill(identity: string, { api }: ReturnType<typeof world>): void {
  api.intercept = ({ method, body }) =>
    method !== 'GET' && body?.includes(`"${identity}"`) === true ? new ConnectionError('dead', true) : undefined;
}

test('a process renews its own lease every 4 s and that of each controller once a minute', async () => {
  const all = world();
  const one = startProcess('one', CHOICE, all);
  await settle(30);
  expect(one.leading()).toEqual(CHOICE);
  expect(holders(all)).toEqual([
    ...CHOICE.map((name) => [`controller-${name}`, 'one']),
    [expect.stringMatching(/^controller-set-[0-9a-f]{10}$/), 'one'],
  ]);
  all.api.requests.length = 0;
  await all.clock.advanceAsync(600_000);
  const renewals = (name: string) =>
    all.api.requests.filter((request) => request.startsWith('PUT') && request.includes(`/controller-${name}`)).length;
  expect([renewals('set-'), ...CHOICE.map(renewals)]).toEqual([150, 10, 10, 10, 10]);
  expect(all.api.requests).toHaveLength(190);
});

test('a process with one controller holds only the lease of that controller', async () => {
  const all = world();
  startProcess('one', ['a'], all);
  await settle(30);
  expect(holders(all)).toEqual([['controller-a', 'one']]);
});

test('of two processes with the same controllers, one leads all and the other polls one lease', async () => {
  const all = world();
  const one = startProcess('one', CHOICE, all);
  await settle(30);
  const other = startProcess('other', [...CHOICE].reverse(), all);
  await settle(30);
  all.api.requests.length = 0;
  await all.clock.advanceAsync(30_000);
  expect(new Set(all.api.requests.filter((request) => request.startsWith('GET')).map((request) => request.replace(/\?.*/, ''))).size).toBe(
    2,
  );
  one.stop.abort();
  await one.ended;
  await settle(60);
  expect(other.leading()).toEqual(CHOICE);
});

test('a second process leads the controllers of a dead one after one lease duration', async () => {
  const all = world();
  const one = startProcess('one', CHOICE, all);
  await settle(30);
  const other = startProcess('other', CHOICE, all);
  await all.clock.advanceAsync(20_500);
  kill('one', all);
  await all.clock.advanceAsync(11_000);
  expect([one.leading(), other.leading()]).toEqual([[], []]);
  await all.clock.advanceAsync(1_500);
  expect(other.leading()).toEqual(CHOICE);
});

test('of two processes with overlapping controllers, one leads a shared controller until it dies', async () => {
  const all = world();
  const one = startProcess('one', ['a', 'b'], all);
  await settle(30);
  const other = startProcess('other', ['b', 'c'], all);
  await all.clock.advanceAsync(200_000);
  expect([one.leading(), other.leading()]).toEqual([['a', 'b'], ['c']]);
  kill('one', all);
  await all.clock.advanceAsync(13_000);
  expect([one.leading(), other.leading()]).toEqual([[], ['b', 'c']]);
});

test('a process stops a controller when another holder has taken its lease', async () => {
  const all = world();
  const one = startProcess('one', ['a', 'b'], all);
  await settle(30);
  const lease = all.api.get(LEASES, 'platform-system', 'controller-b') ?? {};
  all.api.put(LEASES, { ...lease, spec: { ...objectAt(lease, 'spec'), holderIdentity: 'an earlier release', leaseTransitions: 1 } });
  await all.clock.advanceAsync(61_000);
  expect(one.leading()).toEqual(['a']);
});
