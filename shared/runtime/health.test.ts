import { ManualClock } from '../../test/support/manual-clock';
import { HealthChecks, HEALTH_ENDPOINTS, type HealthCheck } from './health';

const clock = new ManualClock();
const broken = { value: undefined as string | undefined };
const checks: readonly HealthCheck[] = [
  { name: 'ping', check: () => undefined },
  { name: 'etcd', check: () => broken.value },
  { name: 'poststarthook/a', isStartup: true, check: () => 'not finished' },
  { name: 'shutdown', onlyOn: 'readyz', check: () => undefined },
];
const health = new HealthChecks(checks, clock, 5000, () => undefined);
const ask = (path: string, exclude: string[] = [], verbose = false) => {
  const [, name, ...rest] = path.split('/');
  const endpoint = HEALTH_ENDPOINTS.find((known) => known === name);
  if (endpoint === undefined) throw new Error(`${path} is no health endpoint`);
  return health.respond({ endpoint, check: rest.length === 0 ? undefined : rest.join('/'), exclude, verbose });
};

it('Health ignores unfinished boot checks on livez only, and only during the grace period', async () => {
  expect(await ask('/livez')).toEqual({ status: 200, text: 'ok', noSniff: true });
  expect(await ask('/healthz')).toEqual({
    status: 500,
    text: '[+]ping ok\n[+]etcd ok\n[-]poststarthook/a failed: reason withheld\nhealthz check failed\n',
    noSniff: true,
  });
  clock.advance(5001);
  expect((await ask('/livez')).status).toBe(500);
});

it('Health skips excluded checks, and warns of excluded names that match none', async () => {
  expect((await ask('/readyz', ['poststarthook/a'])).text).toBe('ok');
  expect((await ask('/readyz', ['poststarthook/a', 'foo', 'bar'], true)).text).toBe(
    '[+]ping ok\n[+]etcd ok\n[+]poststarthook/a excluded: ok\n[+]shutdown ok\n' +
      'warn: some health checks cannot be excluded: no matches for "bar","foo"\nhealthz check passed\n',
  );
});

it('Health answers a single check with its reason, and 404 for a check of another endpoint', async () => {
  expect(await ask('/readyz/ping')).toEqual({ status: 200, text: 'ok', noSniff: false });
  broken.value = 'no answer';
  expect(await ask('/livez/etcd')).toMatchObject({ status: 500, text: 'internal server error: no answer\n' });
  expect((await ask('/livez/poststarthook/a')).status).toBe(500);
  expect((await ask('/livez/shutdown')).status).toBe(404);
});
