/**
 * Checks that the container files agree with each other and with the programs: flags, controllers, services, volumes.
 * `npm run test:compose` runs them.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { load, YAML11_SCHEMA } from 'js-yaml';
import { FLAGS as serverFlags } from '../../apiserver/options/flags/flags';
import { flags as controllerFlags } from '../../controllers/flags';
import { flags as simulationFlags } from '../../controllers/simulation/flags';
import { CONTROLLERS } from '../../controllers/table';
import { NODE_ARGUMENTS } from '../cluster/node-arguments';
import { parseFlags, type FlagTable } from '../../shared/cli/flags';
import { arrayAt, isObject, objectAt, stringAt, type JsonObject, type JsonValue } from '../../shared/values/json';
import { repository } from '../../test/support/repository';

const read = (file: string): string => readFileSync(path.join(repository, file), 'utf8');

function objectIn(file: string): JsonObject {
  const value: JsonValue = JSON.parse(JSON.stringify(load(read(file), { schema: YAML11_SCHEMA })));
  if (!isObject(value)) throw new Error(`${file} holds no object`);
  return value;
}

const texts = (value: JsonObject | undefined, member: string): readonly string[] =>
  (arrayAt(value, member) ?? []).filter((item) => typeof item === 'string');

const compose = objectIn('docker-compose.yml');
const services = new Map(
  Object.entries(objectAt(compose, 'services') ?? {}).flatMap(([name, service]) => (isObject(service) ? [[name, service]] : [])),
);
const serviceNamed = (name: string): JsonObject => services.get(name) ?? {};
const controllers = [...services].filter(([, service]) => texts(service, 'entrypoint').includes('dist/controllers/main.js'));

function problemWith(table: FlagTable, args: readonly string[]): string | undefined {
  const parsed = parseFlags({ name: 'program', description: '' }, table, args);
  return parsed.kind === 'error' ? parsed.message : undefined;
}

const flagsIn = (args: readonly string[]): readonly string[] => args.slice(args.findIndex((arg) => arg.endsWith('.js')) + 1);

test('every program accepts the flags of its service', () => {
  expect(problemWith(serverFlags, flagsIn(texts(serviceNamed('apiserver'), 'command')))).toBeUndefined();
  const simulation = flagsIn(texts(serviceNamed('simulation'), 'command')).filter((flag) => !flag.includes('${'));
  expect(problemWith(simulationFlags, simulation)).toBeUndefined();
  for (const [, service] of controllers)
    expect(problemWith(controllerFlags, [...flagsIn(texts(service, 'entrypoint')), ...texts(service, 'command')])).toBeUndefined();
});

test('every controller runs in one service', () => {
  const chosen = controllers.flatMap(([, service]) =>
    texts(service, 'command').flatMap((arg) => (arg.startsWith('--controllers=') ? arg.slice('--controllers='.length).split(',') : [])),
  );
  expect(chosen.toSorted()).toEqual(CONTROLLERS.map(({ name }) => name).toSorted());
});

test('every program starts Node with the arguments of node-arguments.ts', () => {
  for (const [, service] of controllers) expect(texts(service, 'entrypoint').slice(1, 1 + NODE_ARGUMENTS.length)).toEqual(NODE_ARGUMENTS);
  const line = /^ENTRYPOINT (.*)$/m.exec(read('Dockerfile'))?.[1] ?? '';
  expect(JSON.parse(line)).toEqual(['node', ...NODE_ARGUMENTS]);
});

test('the services, volumes and files that services name exist', () => {
  const volumes = Object.keys(objectAt(compose, 'volumes') ?? {});
  for (const service of services.values()) {
    for (const name of Object.keys(objectAt(service, 'depends_on') ?? {})) expect([...services.keys()]).toContain(name);
    for (const mount of texts(service, 'volumes')) {
      const [source = ''] = mount.split(':');
      if (source.startsWith('./')) expect(existsSync(path.join(repository, source))).toBe(true);
      else expect(volumes).toContain(source);
    }
  }
});

test('every program that ends is awaited by another service, or `up --wait` may take it for failed', () => {
  const awaited = [...services.values()].flatMap((service) =>
    Object.entries(objectAt(service, 'depends_on') ?? {}).flatMap(([name, condition]) =>
      isObject(condition) && stringAt(condition, 'condition') === 'service_completed_successfully' ? [name] : [],
    ),
  );
  const ending = [...services].filter(([, service]) => stringAt(service, 'restart') !== 'unless-stopped').map(([name]) => name);
  expect(ending.toSorted()).toEqual([...new Set(awaited)].toSorted());
});

test('the load balancer drops a server at the first refused connection, before the attempts of a client are used up', () => {
  const settings = read('deploy/compose/haproxy.cfg');
  expect(/^ *default-server (?<words>.*)$/m.exec(settings)?.groups?.['words']).toMatch(/ observe layer4 error-limit 1 on-error mark-down$/);
  expect(Number(/^ *retries (\d+)$/m.exec(settings)?.[1])).toBeGreaterThan(5);
});

test('the load balancer limits open and new connections of a source before TLS', () => {
  const settings = read('deploy/compose/haproxy.cfg');
  const [, frontend = ''] = settings.split(/^frontend api$/m);
  const rules = frontend.split(/^\w/m)[0] ?? '';
  expect(rules).toMatch(/stick-table type ipv6 .* store conn_cur,conn_rate\(10s\)/);
  for (const [value, variable] of [
    ['conn_cur', 'PLATFORM_SOURCE_CONNECTIONS'],
    ['conn_rate', 'PLATFORM_SOURCE_RATE'],
  ] as const) {
    expect(rules).toContain(`tcp-request connection reject if { sc0_${value} gt "\${${variable}}" }`);
    const fallback = new RegExp(`^ *presetenv ${variable} (\\d+)$`, 'm').exec(settings)?.[1];
    expect(Number(fallback)).toBeGreaterThan(0);
    expect(objectAt(serviceNamed('front'), 'environment')).toMatchObject({ [variable]: `\${${variable}:-${fallback}}` });
  }
});

test('the token signing key is mounted only into services that sign tokens', () => {
  const mounting = [...services].filter(([, service]) => texts(service, 'volumes').some((mount) => mount.startsWith('pki-tokens:')));
  const signing = [...services].filter(([, service]) =>
    texts(service, 'command').some((arg) => arg.startsWith('--service-account-private-key-file=')),
  );
  expect(mounting.map(([name]) => name)).toEqual(['pki', ...signing.map(([name]) => name)]);
  for (const [, service] of services) for (const arg of texts(service, 'command')) expect(arg).not.toMatch(/=\/pki\/controllers\/sa\.key$/);
});

test('the image creates every key folder, so that its volume belongs to the user of the programs', () => {
  const parts = /for part in ([\w -]+);/.exec(read('Dockerfile'))?.[1]?.split(' ') ?? [];
  const mounted = texts(serviceNamed('pki'), 'volumes').flatMap((mount) => /:\/pki\/([\w-]+)$/.exec(mount)?.[1] ?? []);
  expect(parts.toSorted()).toEqual(mounted.toSorted());
});

test('Grafana reads its administrator password from a generated file and has no default password', () => {
  const environment = objectAt(serviceNamed('grafana'), 'environment') ?? {};
  expect(environment).toMatchObject({ GF_SECURITY_ADMIN_PASSWORD__FILE: '/pki/grafana/admin-password' });
  expect(Object.keys(environment)).not.toContain('GF_SECURITY_ADMIN_PASSWORD');
  expect(texts(serviceNamed('grafana'), 'volumes')).toContain('pki-grafana:/pki/grafana:ro');
});

test('no service runs as root, writes to its image or keeps a right that it does not need', () => {
  for (const service of services.values()) {
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    if (!(stringAt(service, 'image') ?? '').startsWith('platform-')) expect(stringAt(service, 'user')).toBe('1000:1000');
  }
  expect(read('Dockerfile')).toMatch(/^USER node$/m);
});

describe('the observability configuration', () => {
  const prometheus = objectIn('deploy/compose/prometheus/prometheus.yml');

  test('names only existing services, and scrapes every controllers service', () => {
    const jobs = (arrayAt(prometheus, 'scrape_configs') ?? []).filter(isObject);
    const alertmanagers = (arrayAt(objectAt(prometheus, 'alerting'), 'alertmanagers') ?? []).filter(isObject);
    const named = [...jobs, ...alertmanagers].flatMap((job) => [
      ...(arrayAt(job, 'dns_sd_configs') ?? []).filter(isObject).flatMap((config) => texts(config, 'names')),
      ...(arrayAt(job, 'static_configs') ?? [])
        .filter(isObject)
        .flatMap((config) => texts(config, 'targets').map((target) => target.split(':')[0] ?? '')),
    ]);
    for (const name of named) expect([...services.keys()]).toContain(name);
    for (const [name] of controllers) expect(named).toContain(name);
  });
});
