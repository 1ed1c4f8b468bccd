import { ManualClock } from '../../test/support/clock/manual-clock';
import { HealthChecks, HEALTH_ENDPOINTS, type HealthCheck, type HealthRequest } from './health';

const LIVEZ_GRACE_MS = 5000;

function setUp({ etcdProblem }: { readonly etcdProblem?: string } = {}) {
  const clock = new ManualClock();
  const checks: readonly HealthCheck[] = [
    { name: 'ping', check: () => undefined },
    { name: 'etcd', check: () => etcdProblem },
    { name: 'poststarthook/a', isStartup: true, check: () => 'not finished' },
    { name: 'shutdown', onlyOn: 'readyz', check: () => undefined },
  ];
  const health = new HealthChecks(checks, { clock, livezGraceMs: LIVEZ_GRACE_MS });
  const respond = (path: string, { exclude = [], verbose = false }: Partial<Pick<HealthRequest, 'exclude' | 'verbose'>> = {}) => {
    const [, name, ...checkSegments] = path.split('/');
    const endpoint = HEALTH_ENDPOINTS.find((candidate) => candidate === name);
    if (endpoint === undefined) throw new Error(`${path} is no health endpoint`);
    return health.respond({ endpoint, check: checkSegments.length === 0 ? undefined : checkSegments.join('/'), exclude, verbose });
  };
  return { clock, respond };
}

it('HealthChecks skips unfinished startup checks on livez only, and only during the grace period', async () => {
  const { clock, respond } = setUp();
  expect(await respond('/livez')).toEqual({ status: 200, text: 'ok', noSniff: true });
  expect(await respond('/healthz')).toEqual({
    status: 500,
    text: '[+]ping ok\n[+]etcd ok\n[-]poststarthook/a failed: reason withheld\nhealthz check failed\n',
    noSniff: true,
  });
  clock.advance(LIVEZ_GRACE_MS + 1);
  expect((await respond('/livez')).status).toBe(500);
});

it('HealthChecks skips excluded checks, and warns of excluded names that match none', async () => {
  const { respond } = setUp();
  expect((await respond('/readyz', { exclude: ['poststarthook/a'] })).text).toBe('ok');
  expect((await respond('/readyz', { exclude: ['poststarthook/a', 'foo', 'bar'], verbose: true })).text).toBe(
    '[+]ping ok\n[+]etcd ok\n[+]poststarthook/a excluded: ok\n[+]shutdown ok\n' +
      'warn: some health checks cannot be excluded: no matches for "bar","foo"\nhealthz check passed\n',
  );
});

it('HealthChecks responds to a single check with its reason, and 404 for a check of another endpoint', async () => {
  const { clock, respond } = setUp({ etcdProblem: 'no response' });
  clock.advance(LIVEZ_GRACE_MS + 1);
  expect(await respond('/readyz/ping')).toEqual({ status: 200, text: 'ok', noSniff: false });
  expect(await respond('/livez/etcd')).toMatchObject({ status: 500, text: 'internal server error: no response\n' });
  expect((await respond('/livez/poststarthook/a')).status).toBe(500);
  expect((await respond('/livez/shutdown')).status).toBe(404);
});
