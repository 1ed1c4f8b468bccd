/** Every expression of the dashboards and alerts has series where a real Prometheus follows API server, controllers and etcd; what we show is in good form. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { load, YAML11_SCHEMA } from 'js-yaml';
import { errorMessage } from '../../shared/runtime/error-message';
import { arrayAt, isObject, stringAt, type JsonValue } from '../../shared/values/json';
import { ApiClient } from '../support/api-client';
import { startControllers } from '../support/control-plane';
import { findEtcd, startEtcd, type EtcdServer } from '../support/etcd';
import { freePorts } from '../support/ports';
import { removeFolder, startApiServer, temporaryFolder, waitUntil, type ApiServer, type ProgramProcess } from '../support/programs';
import { describeWith, promtool, seriesOf, startPrometheus, type PrometheusServer } from '../support/prometheus';
import { repository } from '../support/repository';
import { skipLoudly } from '../support/skipped';

const RULES = path.join(repository, 'deploy/compose/prometheus');
const DASHBOARD = path.join(repository, 'deploy/compose/grafana/dashboards/control-plane.json');

/** Without series as long as all is well. */
const RARE: readonly string[] = [
  'apiserver_admission_webhook_rejection_count',
  'apiserver_audit_error_total',
  'apiserver_configuration_automatic_reloads_total',
  'apiserver_flowcontrol_rejected_requests_total',
  'apiserver_terminated_watchers_total',
  'aggregator_unavailable_apiservice',
  'etcd_request_errors_total',
  'workqueue_retries_total',
];
/** Names that upstream has chosen against promtool's advice. */
const ADVICE =
  /authenticated_user_requests|authentication_attempts|apiserver_admission_step_admission_duration_seconds_summary|apiserver_admission_webhook_\w+_count/;

const objectsIn = (value: JsonValue, member: string) => (isObject(value) ? (arrayAt(value, member) ?? []).filter(isObject) : []);

function panels(): readonly (readonly [title: string, expression: string])[] {
  const dashboard: JsonValue = JSON.parse(readFileSync(DASHBOARD, 'utf8'));
  return objectsIn(dashboard, 'panels').flatMap((panel) =>
    objectsIn(panel, 'targets').map((target) => [stringAt(panel, 'title') ?? '', stringAt(target, 'expr') ?? ''] as const),
  );
}

function alerts(): readonly (readonly [name: string, expression: string])[] {
  const rules: JsonValue = JSON.parse(
    JSON.stringify(load(readFileSync(path.join(RULES, 'alerts.yml'), 'utf8'), { schema: YAML11_SCHEMA })),
  );
  return objectsIn(rules, 'groups').flatMap((group) =>
    objectsIn(group, 'rules').map((rule) => [stringAt(rule, 'alert') ?? '', stringAt(rule, 'expr') ?? ''] as const),
  );
}

/** What an alert looks at, without the condition that sets it off, and without the codes of failures. */
function observed(expression: string): string {
  const inner = /^absent\((.*)\)$/.exec(expression)?.[1] ?? expression;
  return inner.replace(/ (?:==|>|<) [\d.]+$/, '').replaceAll('{code=~"5.."}', '');
}

describeWith('promtool', 'the rules of the containers', (program) => {
  it('are in good form', () => {
    expect(promtool(program, ['check', 'rules', path.join(RULES, 'alerts.yml')])).toContain('SUCCESS');
  });

  it('set off alerts when they should', () => {
    expect(promtool(program, ['test', 'rules', path.join(RULES, 'alerts.test.yml')])).toContain('SUCCESS');
  });
});

if (findEtcd() === undefined) skipLoudly('dashboards and alerts', 'no etcd');
else describeWith('prometheus', 'dashboards and alerts', (program) => expressions(program));

function expressions(program: string): void {
  const folder = temporaryFolder('observability');
  let etcd: EtcdServer;
  let server: ApiServer;
  let controllers: ProgramProcess;
  let prometheus: PrometheusServer;
  let client: ApiClient;

  beforeAll(async () => {
    const [securePort = 0, controllersPort = 0] = await freePorts(2);
    etcd = await startEtcd();
    server = await startApiServer({ folder, securePort, etcdServers: etcd.endpoint });
    controllers = startControllers(
      server,
      '--controllers=namespace,serviceaccount',
      `--secure-port=${controllersPort}`,
      '--authorization-always-allow-paths=/metrics',
    );
    client = new ApiClient(server.address, server.certificates);
    const tls = { insecure_skip_verify: true, cert_file: `${server.pki}/admin.crt`, key_file: `${server.pki}/admin.key` };
    const job = (name: string, target: string, more: object = {}) => ({
      job_name: name,
      static_configs: [{ targets: [target], labels: { service: 'controllers' } }],
      ...more,
    });
    prometheus = await startPrometheus(program, folder, {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      scrape_configs: [
        job('apiserver', `127.0.0.1:${securePort}`, { scheme: 'https', tls_config: tls }),
        job('controllers', `127.0.0.1:${controllersPort}`, { scheme: 'https', tls_config: tls }),
        job('etcd', new URL(etcd.endpoint).host),
      ],
    });
    for (let round = 0; round < 3; round += 1) await use(client, round);
  }, 60_000);

  afterAll(async () => {
    client.close();
    await prometheus.stop();
    await controllers.stop();
    await server.process.stop();
    await etcd.dispose();
    removeFolder(folder);
  });

  test.each(panels())('panel: %s: %s', async (_title, expression) => {
    expect(await seriesOf(prometheus, expression)).toBeGreaterThanOrEqual(0);
    if (RARE.some((name) => expression.includes(name))) return;
    await waitUntil(`series of ${expression}`, async () => (await seriesOf(prometheus, expression)) > 0, 25_000);
  });

  test.each(alerts())('alert: %s: %s', async (_name, expression) => {
    expect(await seriesOf(prometheus, expression)).toBeGreaterThanOrEqual(0);
    if (RARE.some((name) => expression.includes(name))) return;
    await waitUntil(`series of ${expression}`, async () => (await seriesOf(prometheus, observed(expression))) > 0, 25_000);
  });

  describeWith('promtool', 'what the programs show', (tool) => {
    it.each(['/metrics', '/metrics/slis'])('%s is in good form', async (shown) => {
      expect(complaintsOf(tool, (await client.get(shown)).text)).toEqual([]);
    });
  });
}

/** Something of everything that is counted. */
async function use(client: ApiClient, round: number): Promise<void> {
  await client.send('POST', '/api/v1/namespaces', { metadata: { name: `round-${round}` } });
  await client.get('/api/v1/namespaces?limit=1');
  await client.get('/api/v1/namespaces?watch=1&timeoutSeconds=1');
  await client.get('/apis/flowcontrol.apiserver.platform.io/v1beta3/flowschemas?limit=1');
  await client.get('/api/v1/namespaces/missing');
  for (const check of ['livez', 'readyz']) await client.get(`/${check}`);
  await client.send('DELETE', `/api/v1/namespaces/round-${round}`);
}

/** promtool says what it thinks of names on stderr and fails. */
function complaintsOf(program: string, text: string): readonly string[] {
  try {
    promtool(program, ['check', 'metrics'], text);
    return [];
  } catch (error) {
    const said = errorMessage(error);
    return said
      .split('\n')
      .slice(1)
      .filter((line) => line !== '' && !ADVICE.test(line));
  }
}
