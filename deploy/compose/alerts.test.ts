/** Alerts, their runbooks and their routes name each other, and ask only for metrics that the programs export. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { load, YAML11_SCHEMA } from 'js-yaml';
import { arrayAt, isObject, objectAt, stringAt, type JsonObject, type JsonValue } from '../../shared/values/json';
import { repository } from '../../test/support/repository';
import { DASHBOARD_FILES } from '../dashboards/files';

const read = (file: string): string => readFileSync(path.join(repository, file), 'utf8');

function objectIn(file: string): JsonObject {
  const value: JsonValue = JSON.parse(JSON.stringify(load(read(file), { schema: YAML11_SCHEMA })));
  if (!isObject(value)) throw new Error(`${file} holds no object`);
  return value;
}

const objectsAt = (value: JsonObject | undefined, member: string): readonly JsonObject[] => (arrayAt(value, member) ?? []).filter(isObject);

const rules = objectsAt(objectIn('deploy/compose/prometheus/alerts.yml'), 'groups').flatMap((group) => objectsAt(group, 'rules'));
const alerts = rules.map((rule) => [stringAt(rule, 'alert') ?? '', rule] as const);
const names = alerts.map(([name]) => name);

const RUNBOOKS = 'docs/runbooks';
const INDEX = 'README.md';
const SEVERITIES = ['critical', 'warning', 'info', 'none'];

describe.each(alerts)('the alert %s', (name, rule) => {
  it('has a severity, a summary, a description and the page of its runbook', () => {
    expect(SEVERITIES).toContain(stringAt(objectAt(rule, 'labels'), 'severity'));
    expect(objectAt(rule, 'annotations')).toEqual({
      summary: expect.stringMatching(/\.$/),
      description: expect.stringMatching(/\.$/),
      runbook_url: `runbooks/${name}.md`,
    });
  });

  it('has a runbook with the three sections', () => {
    const headings = [...read(`${RUNBOOKS}/${name}.md`).matchAll(/^#+ .*$/gm)].map(([heading]) => heading);
    expect(headings).toEqual([`# ${name}`, '## Meaning', '## Look', '## Mend']);
  });

  it('stands in the index of the runbooks with its severity and delay', () => {
    const cells = [`[${name}](${name}.md)`, stringAt(objectAt(rule, 'labels'), 'severity'), stringAt(rule, 'for') ?? 'at once'];
    expect(read(`${RUNBOOKS}/${INDEX}`)).toContain(`| ${cells.join(' | ')} |\n`);
  });

  it('fires in a test of the rules', () => {
    const tests = objectsAt(objectIn('deploy/compose/prometheus/alerts.test.yml'), 'tests').flatMap((test) =>
      objectsAt(test, 'alert_rule_test'),
    );
    const firing = tests.filter((test) => objectsAt(test, 'exp_alerts').length > 0);
    expect(firing.map((test) => stringAt(test, 'alertname'))).toContain(name);
  });
});

test('every runbook belongs to an alert, and the names of alerts are unique', () => {
  const pages = readdirSync(path.join(repository, RUNBOOKS)).filter((file) => file !== INDEX);
  expect(pages.toSorted()).toEqual(names.map((name) => `${name}.md`).toSorted());
});

/** `severity="critical"` or `alertname=~"APIServer.*|EtcdNoLeader"`. A matcher of another form fails the test. */
const EQUALITY_MATCHER = /^(\w+)(=~?)"(.*)"$/;

describe('the configuration of Alertmanager', () => {
  const configuration = objectIn('deploy/compose/alertmanager/alertmanager.yml');
  const routes = [objectAt(configuration, 'route') ?? {}, ...objectsAt(objectAt(configuration, 'route'), 'routes')];
  const matchers = [
    ...routes.flatMap((route) => arrayAt(route, 'matchers') ?? []),
    ...objectsAt(configuration, 'inhibit_rules').flatMap((rule) => [
      ...(arrayAt(rule, 'source_matchers') ?? []),
      ...(arrayAt(rule, 'target_matchers') ?? []),
    ]),
  ].map(String);

  it('routes to existing receivers, and to each of them', () => {
    const receivers = objectsAt(configuration, 'receivers').map((receiver) => stringAt(receiver, 'name'));
    expect([...new Set(routes.map((route) => stringAt(route, 'receiver')))].toSorted()).toEqual(receivers.toSorted());
  });

  it('matches only existing alerts and severities', () => {
    const unmatched = matchers.filter((matcher) => {
      const [, label, operator, value = ''] = EQUALITY_MATCHER.exec(matcher) ?? [];
      if (operator === undefined) return true;
      const values = label === 'alertname' ? names : SEVERITIES;
      const alternatives = operator === '=~' ? value.split('|').map((text) => new RegExp(`^(?:${text})$`)) : [];
      return operator === '=' ? !values.includes(value) : !alternatives.every((pattern) => values.some((known) => pattern.test(known)));
    });
    expect(matchers.length).toBeGreaterThan(0);
    expect(unmatched).toEqual([]);
  });
});

/** The expressions in the lines `query '...'` of a runbook. */
const queriesOfRunbook = (name: string): readonly string[] => read(`${RUNBOOKS}/${name}.md`).match(/(?<=^query ').*(?='$)/gm) ?? [];

/** Metrics that are not checked: of etcd and of Node, and those of the API server with the prefix `etcd_`. */
const UNCHECKED = /^(?:etcd|grpc|process|nodejs)_/;
const FLOW_CONTROL_PREFIX = 'apiserver_flowcontrol_';

/** The texts by which sources declare a metric: its name, the count of a timing, a row of a table, a name without prefix. */
const declarationsOf = (metric: string): readonly string[] => [
  `'${metric}'`,
  `'${metric}_count'`,
  `  ${metric}: {`,
  `'${metric.replace(FLOW_CONTROL_PREFIX, '')}'`,
];

/** Braces with matchers, and the parentheses with labels after a grouping or matching keyword. */
const LABELS = /\{[^}]*\}|\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g;
/** A name of two or more parts that is not the name of a function. */
const METRIC = /\b[a-z]+(?:_[a-z0-9]+)+\b(?!\s*\()/g;

const metricsOf = (expression: string): readonly string[] => expression.replace(LABELS, '').match(METRIC) ?? [];

test('alerts, runbooks and dashboards ask only for metrics that the programs export', () => {
  const sources = ['apiserver', 'controllers', 'shared'].map(sourcesBelow).join('\n');
  // Each dashboard is formatted with one member in a line; the match is the expression with its quotes.
  const queries = Object.values(DASHBOARD_FILES).flatMap((text) => text.match(/(?<="expr": )".*"/g) ?? []);
  const expressions = [...rules.map((rule) => stringAt(rule, 'expr') ?? ''), ...queries, ...names.flatMap(queriesOfRunbook)];
  const metrics = new Set(expressions.flatMap(metricsOf));
  // The series of a histogram have the suffixes; sources declare its name without them.
  const ours = [...metrics].filter((name) => !UNCHECKED.test(name)).map((name) => name.replace(/_(?:bucket|sum|count)$/, ''));
  expect(ours.length).toBeGreaterThan(30);
  const isExported = (name: string): boolean => declarationsOf(name).some((text) => sources.includes(text));
  expect(ours.filter((name) => !isExported(name))).toEqual([]);
});

function sourcesBelow(folder: string): string {
  return readdirSync(path.join(repository, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|\/contract\/|generated/.test(file))
    .map((file) => read(path.join(folder, file)))
    .join('\n');
}
