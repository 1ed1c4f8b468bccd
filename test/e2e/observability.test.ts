/**
 * Dashboards and alerts: every expression is valid in a Prometheus that scrapes API server, controllers and etcd, and
 * has series, except those of metrics that need a failure or a feature which the test does not cause. promtool accepts
 * rules and metrics, amtool the configuration of Alertmanager.
 */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { load, YAML11_SCHEMA } from 'js-yaml';
import { errorMessage } from '../../shared/runtime/error-message';
import { arrayAt, isObject, stringAt, type JsonValue } from '../../shared/values/json';
import { ApiClient } from '../support/http/api-client';
import { startControllers } from '../support/control-plane';
import { findEtcd, startEtcd } from '../support/external/etcd';
import { freePort } from '../support/ports';
import { waitUntil } from '../support/programs';
import { DASHBOARD_FILES } from '../../deploy/dashboards/files';
import { describeWithProgram } from '../support/external/find-program';
import { runTool, countSeries, startPrometheus } from '../support/external/prometheus';
import { repository } from '../support/repository';
import { reportSkipped } from '../support/report-skipped';
import { useApiServer } from '../support/use-api-server';
import { useClosable, useFolder, useResource } from '../support/use-resource';

const RULES = path.join(repository, 'deploy/compose/prometheus');
const ALERTMANAGER = path.join(repository, 'deploy/compose/alertmanager');

/** Parts of expressions that have no series while nothing fails. */
const ABSENT_WITHOUT_FAILURES: readonly string[] = [
  'ALERTS',
  'code=~"5.."',
  'apiserver_admission_webhook_rejection_count',
  'apiserver_audit_error_total',
  'apiserver_flowcontrol_rejected_requests_total',
  'apiserver_request_terminations_total',
  'apiserver_terminated_watchers_total',
  'aggregator_unavailable_apiservice',
  'etcd_request_errors_total',
  'workqueue_retries_total',
];
/** Parts of expressions that have no series here: without webhooks, reloaded files, and other members of etcd. */
const ABSENT_WITHOUT_FEATURE: readonly string[] = [
  'apiserver_admission_webhook_admission_duration_seconds',
  'apiserver_configuration_automatic_reloads_total',
  'etcd_network_peer_round_trip_time_seconds',
];
const hasSeriesHere = (expression: string): boolean =>
  ![...ABSENT_WITHOUT_FAILURES, ...ABSENT_WITHOUT_FEATURE].some((part) => expression.includes(part));

/** Metrics with upstream's names, which promtool complains about. */
const ACCEPTED_COMPLAINTS =
  /authenticated_user_requests|authentication_attempts|apiserver_admission_step_admission_duration_seconds_summary|apiserver_admission_webhook_\w+_count/;

const objectsIn = (value: JsonValue, member: string) => (isObject(value) ? (arrayAt(value, member) ?? []).filter(isObject) : []);

/** The title of each panel of the dashboards, with each of its expressions. */
function panels(): readonly (readonly [title: string, expression: string])[] {
  const dashboards = Object.values(DASHBOARD_FILES).map((text): JsonValue => JSON.parse(text));
  return dashboards
    .flatMap((dashboard) => objectsIn(dashboard, 'panels'))
    .flatMap((panel) =>
      objectsIn(panel, 'targets').map(
        (target) => [stringAt(panel, 'title') ?? '', withoutVariables(stringAt(target, 'expr') ?? '')] as const,
      ),
    );
}

/** The expression as Grafana sends it when all values of all variables are selected. */
const withoutVariables = (expression: string): string => expression.replaceAll('$__rate_interval', '1m').replaceAll(/\$\w+/g, '.*');

function alerts(): readonly (readonly [name: string, expression: string])[] {
  const rules: JsonValue = JSON.parse(
    JSON.stringify(load(readFileSync(path.join(RULES, 'alerts.yml'), 'utf8'), { schema: YAML11_SCHEMA })),
  );
  return objectsIn(rules, 'groups').flatMap((group) =>
    objectsIn(group, 'rules').map((rule) => [stringAt(rule, 'alert') ?? '', stringAt(rule, 'expr') ?? ''] as const),
  );
}

/** The series of an alert, without the condition that fires it, and without the selector of failure codes. */
function observedSeries(expression: string): string {
  const inner = /^absent\((.*)\)$/.exec(expression)?.[1] ?? expression;
  return inner.replace(/ (?:==|>|<) [\d.* ]+$/, '').replaceAll('{code=~"5.."}', '');
}

describeWithProgram('promtool', 'the rules of the containers', (program) => {
  it('are valid', () => {
    expect(runTool(program, ['check', 'rules', path.join(RULES, 'alerts.yml')])).toContain('SUCCESS');
  });

  it('fire the expected alerts', () => {
    expect(runTool(program, ['test', 'rules', path.join(RULES, 'alerts.test.yml')])).toContain('SUCCESS');
  });
});

describeWithProgram('amtool', 'the configuration of Alertmanager', (program) => {
  const folder = useFolder('alertmanager');
  const configuration = path.join(folder, 'alertmanager.yml');

  beforeAll(() => {
    cpSync(ALERTMANAGER, folder, { recursive: true });
    // The folder in the container.
    writeFileSync(configuration, readFileSync(configuration, 'utf8').replaceAll('/etc/alertmanager', folder));
  });

  it('is valid, with its templates', () => {
    expect(runTool(program, ['check-config', configuration])).toMatch(/1 templates\n\s*SUCCESS/);
  });

  it.each([
    ['Watchdog', 'none', 'watchdog'],
    ['APIServerDown', 'critical', 'critical'],
    ['APIServerLatencyHigh', 'warning', 'warnings'],
    ['DeprecatedAPIInUse', 'info', 'info'],
  ])('routes %s with the severity %s to %s', (name, severity, receiver) => {
    const labels = [`alertname=${name}`, `severity=${severity}`];
    expect(runTool(program, ['config', 'routes', 'test', `--config.file=${configuration}`, ...labels]).trim()).toBe(receiver);
  });

  it('shows the address of the runbook in the text of an alert', () => {
    const template = ['--template.glob', path.join(folder, '*.tmpl'), '--template.text={{ template "alerts.text" . }}'];
    const data = path.join(folder, 'data.json');
    const alert = { annotations: { summary: 'S.', description: 'D.', runbook_url: 'runbooks/EtcdNoLeader.md' } };
    writeFileSync(data, JSON.stringify({ alerts: [alert] }));
    const text = runTool(program, ['template', 'render', ...template, `--template.data=${data}`]);
    expect(text).toContain('S.\nD.\nRunbook: https://docs.example.com/control-plane/runbooks/EtcdNoLeader.md');
  });
});

if (findEtcd() === undefined) reportSkipped('dashboards and alerts', 'no etcd');
else describeWithProgram('prometheus', 'dashboards and alerts', (program) => describeExpressions(program));

function describeExpressions(program: string): void {
  const etcd = useResource(startEtcd, (started) => started.dispose());
  const server = useApiServer('observability', () => ({ etcdServers: etcd().endpoint }));
  const port = useResource(freePort);
  useResource(
    () => {
      const flags = ['--controllers=namespace,serviceaccount', '--authorization-always-allow-paths=/metrics'];
      return startControllers(server.running, ...flags, `--secure-port=${port()}`);
    },
    (controllers) => controllers.stop(),
  );
  const client = useClosable(() => new ApiClient(server.running.address, server.running.certificates));
  const prometheus = useResource(
    async () => {
      const { address, pki } = server.running;
      const tls_config = { insecure_skip_verify: true, cert_file: `${pki}/admin.crt`, key_file: `${pki}/admin.key` };
      const secure = { scheme: 'https', tls_config };
      // The dashboards distinguish groups of controllers by this label; on API server and etcd it has no effect.
      const job = (job_name: string, target: string, more: object = {}) => ({
        job_name,
        static_configs: [{ targets: [target], labels: { service: 'controllers' } }],
        ...more,
      });
      const scrape_configs = [
        job('apiserver', new URL(address).host, secure),
        job('controllers', `127.0.0.1:${port()}`, secure),
        job('etcd', new URL(etcd().endpoint).host),
      ];
      const global = { scrape_interval: '1s', evaluation_interval: '1s' };
      return startPrometheus(program, server.folder, { global, scrape_configs });
    },
    (started) => started.stop(),
  );
  beforeAll(async () => {
    for (let round = 0; round < 3; round += 1) await generateTraffic(client(), round);
  }, 60_000);

  const expectValid = async (expression: string): Promise<void> => {
    await expect(countSeries(prometheus(), expression)).resolves.toEqual(expect.any(Number));
  };
  const waitForSeries = async (expression: string): Promise<void> => {
    await waitUntil(`series of ${expression}`, async () => (await countSeries(prometheus(), expression)) > 0, 25_000);
  };
  const [panelsWithSeries, otherPanels] = partition(panels(), ([, expression]) => hasSeriesHere(expression));
  const [alertsWithSeries, otherAlerts] = partition(alerts(), ([, expression]) => hasSeriesHere(expression));

  test.each(panelsWithSeries)('the panel %s has series for %s', (_title, expression) => waitForSeries(expression));
  test.each(otherPanels)('the panel %s has a valid expression %s', (_title, expression) => expectValid(expression));
  test.each(alertsWithSeries)('the alert %s is valid and observes series with %s', async (_name, expression) => {
    await expectValid(expression);
    await waitForSeries(observedSeries(expression));
  });
  test.each(otherAlerts)('the alert %s has a valid expression %s', (_name, expression) => expectValid(expression));

  describeWithProgram('promtool', 'the exposition', (tool) => {
    it.each(['/metrics', '/metrics/slis'])('at %s has no complaint of promtool', async (endpoint) => {
      expect(complaintsOf(tool, (await client().get(endpoint)).text)).toEqual([]);
    });
  });
}

/** The items that satisfy the predicate, and the others. */
function partition<T>(items: readonly T[], predicate: (item: T) => boolean): readonly [T[], T[]] {
  return [items.filter(predicate), items.filter((item) => !predicate(item))];
}

/** Sends requests that are counted in the metrics of the dashboards. */
async function generateTraffic(client: ApiClient, round: number): Promise<void> {
  await client.send('POST', '/api/v1/namespaces', { metadata: { name: `round-${round}` } });
  await client.get('/api/v1/namespaces?limit=1');
  await client.get('/api/v1/namespaces?watch=1&timeoutSeconds=1');
  await client.get('/apis/flowcontrol.apiserver.platform.io/v1beta3/flowschemas?limit=1');
  await client.get('/api/v1/namespaces/missing');
  for (const check of ['livez', 'readyz']) await client.get(`/${check}`);
  await client.send('DELETE', `/api/v1/namespaces/round-${round}`);
}

/** The complaints that promtool prints when it fails; the first line of its message is the command. */
function complaintsOf(program: string, text: string): readonly string[] {
  try {
    runTool(program, ['check', 'metrics'], text);
    return [];
  } catch (error) {
    const output = errorMessage(error);
    return output
      .split('\n')
      .slice(1)
      .filter((line) => line !== '' && !ACCEPTED_COMPLAINTS.test(line));
  }
}
