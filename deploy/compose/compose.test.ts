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
import { parseFlags, type EnvironmentVariables, type FlagTable } from '../../shared/cli/flags';
import { START_FLAGS } from '../cli/commands/flags';
import { arrayAt, isObject, objectAt, stringAt, type JsonObject, type JsonValue } from '../../shared/values/json';
import { ManualClock } from '../../test/support/clock/manual-clock';
import { repository } from '../../test/support/repository';
import { useFolder } from '../../test/support/use-resource';
import { systemRandom } from '../../shared/runtime/random';
import { ensureClusterFiles } from './cluster-files';

const folder = useFolder('compose');

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
const controllers = [...services].filter(([, service]) => texts(service, 'entrypoint')[1] === 'controllers');
/** The services of the project's image. */
const programs = [...services].filter(([, service]) => stringAt(service, 'image') === 'platform-control-plane');

function problemWith(table: FlagTable, args: readonly string[]): string | undefined {
  const parsed = parseFlags({ name: 'program', description: '' }, table, args);
  return parsed.kind === 'error' ? parsed.message : undefined;
}

/** The command line in a container: the image's entry point unless the service has its own, and the command. */
const commandLine = (service: JsonObject): readonly string[] => {
  const entryPoint = texts(service, 'entrypoint');
  return [...(entryPoint.length === 0 ? ['platform'] : entryPoint), ...texts(service, 'command')];
};

const isProgram = ([, service]: readonly [string, JsonObject]): boolean => commandLine(service)[0] === 'platform';
/** Whether the service reads the administrator's files; the service `pki` mounts them as well, to write them. */
const mountsAdministrator = (service: JsonObject): boolean => texts(service, 'volumes').includes('pki-admin:/pki/admin:ro');

const PROGRAM_FLAGS: Readonly<Record<string, FlagTable>> = {
  apiserver: serverFlags,
  controllers: controllerFlags,
  simulation: simulationFlags,
};

test('every program accepts the flags of its service', () => {
  const started = programs.map(([, service]) => commandLine(service)).filter(([executable]) => executable === 'platform');
  expect(new Set(started.map(([, name]) => name))).toEqual(new Set(Object.keys(PROGRAM_FLAGS)));
  for (const [, name = '', ...args] of started) {
    const flags = args.filter((arg) => !arg.includes('${'));
    expect({ name, problem: problemWith(PROGRAM_FLAGS[name] ?? {}, flags) }).toEqual({ name, problem: undefined });
  }
});

test('every file of /pki that a flag names is created', async () => {
  await ensureClusterFiles(folder, {
    externalAddress: 'https://127.0.0.1:6443',
    names: [],
    grafanaPassword: '',
    clock: new ManualClock(),
    random: systemRandom,
  });
  const named = programs.flatMap(([, service]) => commandLine(service)).flatMap((arg) => /^--.*=\/pki\/(.*)$/.exec(arg)?.[1] ?? []);
  expect(named).toContain('apiserver/apiserver.crt');
  expect(named.filter((file) => !existsSync(path.join(folder, file)))).toEqual([]);
});

test('the API servers present a certificate to kubelets, and reach joined nodes by the types of addresses of a variable', () => {
  const args = texts(serviceNamed('apiserver'), 'command');
  expect(args).toContain('--kubelet-client-certificate=/pki/apiserver/kubelet-client.crt');
  expect(args).toContain('--kubelet-client-key=/pki/apiserver/kubelet-client.key');
  // Kubelets that kubeadm joined serve with self-signed certificates.
  expect(args.filter((arg) => arg.startsWith('--kubelet-certificate-authority'))).toEqual([]);
  const flag = '--kubelet-preferred-address-types';
  const { default: types } = serverFlags['kubelet-preferred-address-types'];
  expect(args).toContain(`${flag}=\${PLATFORM_KUBELET_ADDRESS_TYPES:-${types.join(',')}}`);
});

test('every module below dist that a service runs has a source and is in the package', () => {
  const packaging = read('deploy/scripts/package.mjs');
  const files = programs.flatMap(([, service]) => [...commandLine(service), ...texts(objectAt(service, 'healthcheck'), 'test')]);
  const modules = new Set(files.flatMap((file) => /^dist\/(.*\.js)$/.exec(file)?.[1] ?? []));
  expect([...modules].toSorted()).toEqual([
    'deploy/compose/health.js',
    'deploy/compose/pki.js',
    'deploy/compose/publish-cluster-info.js',
    'deploy/compose/simulation-access.js',
  ]);
  for (const module of modules) {
    expect(existsSync(path.join(repository, module.replace(/\.js$/, '.ts')))).toBe(true);
    expect(packaging).toContain(`'${module}'`);
  }
});

test('one service builds the image, all others wait for it', () => {
  const building = [...services].filter(([, service]) => objectAt(service, 'build') !== undefined).map(([name]) => name);
  expect(building).toEqual(['pki']);
  for (const [name, service] of programs) expect(stringAt(service, 'pull_policy')).toBe(name === 'pki' ? 'missing' : 'never');
  const dependencies = (name: string): readonly string[] => Object.keys(objectAt(serviceNamed(name), 'depends_on') ?? {});
  const waits = (name: string): boolean => dependencies(name).some((other) => other === 'pki' || waits(other));
  // The service `observed` only creates folders.
  const others = programs.map(([name]) => name).filter((name) => name !== 'pki' && name !== 'observed');
  expect(others.filter((name) => !waits(name))).toEqual([]);
});

test('the members of etcd accept the transactions and objects of the API servers', () => {
  for (const member of ['etcd1', 'etcd2', 'etcd3']) {
    expect(objectAt(serviceNamed(member), 'environment')).toMatchObject({
      ETCD_NAME: member,
      ETCD_MAX_TXN_OPS: '2048',
      ETCD_MAX_REQUEST_BYTES: '3145728',
    });
  }
  expect(read('README.md')).toContain('--max-txn-ops=2048 --max-request-bytes=3145728');
});

test('a program that keeps running has a health check, without which `up --wait` fails', () => {
  for (const [name, service] of programs) {
    const check = objectAt(service, 'healthcheck') ?? {};
    const hasCheck = texts(check, 'test').length > 0;
    const keepsRunning = stringAt(service, 'restart') === 'unless-stopped';
    expect({ name, hasCheck }).toEqual({ name, hasCheck: keepsRunning });
  }
});

test('all programs, and the services that create objects for them, have the naming of one variable', () => {
  const naming = '${PLATFORM_NAMING:-platform}';
  const creating = programs.filter(([, service]) => mountsAdministrator(service));
  const started = programs.filter(isProgram);
  expect(creating.map(([name]) => name).toSorted()).toEqual(['description', 'simulation-access']);
  for (const [name, service] of creating)
    expect({ name, environment: objectAt(service, 'environment') }).toMatchObject({ name, environment: { PLATFORM_NAMING: naming } });
  for (const [name, service] of started) expect([name, ...commandLine(service)]).toContain(`--naming=${naming}`);
  expect(texts(serviceNamed('apiserver'), 'command')).toContain(`--service-account-issuer=https://${naming}.default.svc`);
});

test('every controller runs in one service', () => {
  const chosen = controllers.flatMap(([, service]) =>
    texts(service, 'command').flatMap((arg) => (arg.startsWith('--controllers=') ? arg.slice('--controllers='.length).split(',') : [])),
  );
  expect(chosen.toSorted()).toEqual(CONTROLLERS.map(({ name }) => name).toSorted());
});

describe('the Dockerfile', () => {
  const dockerfile = read('Dockerfile');
  /** The stage of the image, which is the only one without a name. */
  const [, lastStage = ''] = dockerfile.split(/^(?=FROM (?!.* AS ))/m);

  test('starts the program platform with the arguments of node-arguments.ts, which stand nowhere else', () => {
    expect(lastStage).toMatch(/^ENTRYPOINT \["platform"\]$/m);
    expect(dockerfile).toContain('/deploy/cluster/node-arguments.js');
    for (const file of ['Dockerfile', 'docker-compose.yml'])
      for (const argument of NODE_ARGUMENTS) expect(read(file)).not.toContain(argument);
  });

  test('gives the variables of flags values that suit a container', () => {
    const values = /^ENV NODE_ENV=production (.*)$/m
      .exec(lastStage)?.[1]
      ?.split(' ')
      .map((pair) => pair.split('='));
    const environment: EnvironmentVariables = Object.fromEntries(values ?? []);
    const parsed = parseFlags({ name: 'start', description: '' }, START_FLAGS, [], environment);
    expect(parsed).toMatchObject({ kind: 'values', values: { 'data-dir': '/var/lib/platform', 'bind-address': '0.0.0.0' } });
    const variables = Object.values<{ readonly variable?: string }>(START_FLAGS).flatMap(({ variable }) => variable ?? []);
    expect(Object.keys(environment).toSorted()).toEqual(variables.toSorted());
  });

  test('sets the variable by which `start` prints commands for the host', () => {
    expect(lastStage).toMatch(/^ENV container=oci$/m);
  });

  test('takes the compiled package from a stage and installs nothing in the last one', () => {
    expect(lastStage).not.toMatch(/\b(npm|apt-get|curl)\b/);
    expect([...lastStage.matchAll(/^COPY (.*)$/gm)].map(([, operands]) => operands)).toEqual([
      '--from=compiled --chown=root:root /app /app',
    ]);
  });

  test('checks the control plane of `start`, and not the services of Docker Compose', () => {
    expect(lastStage).toMatch(/^HEALTHCHECK .* CMD \["platform", "status"\]$/m);
    for (const [, service] of programs) {
      const check = objectAt(service, 'healthcheck') ?? {};
      expect(check['disable'] === true || texts(check, 'test').includes('dist/deploy/compose/health.js')).toBe(true);
    }
  });

  test('copies only files that .dockerignore includes', () => {
    const included = new Set([...read('.dockerignore').matchAll(/^!(.*)$/gm)].map(([, name]) => name));
    const copied = [...read('deploy/scripts/package.mjs').matchAll(/\['(README\.md)', '(LICENSE)'\]/g)].flatMap(([, ...names]) => names);
    expect(copied).toEqual(['README.md', 'LICENSE']);
    for (const name of [...copied, 'package.json', 'package-lock.json', '.npmrc']) expect(included).toContain(name);
  });
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

test('no service runs as root, writes to its image, keeps a right that it does not need or is without limits', () => {
  for (const service of services.values()) {
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    const limits = { cpus: expect.any(String), memory: expect.any(String), pids: expect.any(Number) };
    expect(objectAt(service, 'deploy')).toMatchObject({ resources: { limits } });
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
