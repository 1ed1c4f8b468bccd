/**
 * The controllers program as a process: each controller holds its Lease and has one visible effect, except those that
 * act only after an hour or a year. The detailed behaviour of each controller is replayed in simulated time by other
 * tests.
 */
import { CONTROLLERS } from '../../../controllers/table';
import { isBody, membersOf, objectNameOf, objectsIn, type Body, type Json } from '../../replay/json-response';
import { SCENARIOS } from '../../replay/scenarios';
import { absolutePath, create, isScenarioRequest, type ScenarioRequest } from '../../replay/scenarios/scenario';
import { ScenarioSession, type ScenarioSend } from '../../replay/scenarios/scenario-session';
import { body, either, listOf, mapOf, nullValue, number, oneOf, shape, text, type Checked } from '../../replay/shape';
import { ApiClient } from '../../support/http/api-client';
import { startProgram, waitUntil } from '../../support/programs';
import { readTable } from '../../support/read-table';
import { sendWith } from '../../support/scenarios/replayed-scenario';
import { useClosable } from '../../support/use-resource';
import { useControllers } from './controller-processes';

/** Leaves room for suffixes in names of 63 characters. */
const MAX_NAME_LENGTH = 40;

const isEffect = shape(
  { path: text, shows: either(oneOf('nothing'), body) },
  { requests: listOf(isScenarioRequest), recorded: shape({ recording: text, scenario: text }, { steps: number }) },
);
type Effect = Checked<typeof isEffect>;

/** The table in controller-effects.yaml, which explains its members. */
const EFFECTS = readTable('test/integration/controllers/controller-effects.yaml', mapOf(either(isEffect, nullValue)));

const NAMES = CONTROLLERS.map(({ name }) => name);
const EFFECT_ROWS = NAMES.flatMap((name) => {
  const effect = EFFECTS[name] ?? null;
  return effect === null ? [] : ([[name, effect]] as const);
});

function requestsOf({ requests = [], recorded }: Effect): readonly ScenarioRequest[] {
  if (recorded === undefined) return requests;
  const { recording, scenario, steps = 1 } = recorded;
  const match = SCENARIOS.get(recording)?.find(({ name }) => name === scenario);
  if (match === undefined) throw new Error(`there is no scenario ${scenario} in ${recording}`);
  return match.steps.slice(0, steps).flatMap((step) => step.requests);
}

/** Whether the value has at least the members of the pattern, in which `<any>` is any value. */
function hasMembers(value: Json | undefined, pattern: Json): boolean {
  if (pattern === '<any>') return value !== undefined;
  if (Array.isArray(pattern)) return Array.isArray(value) && pattern.every((item, index) => hasMembers(value[index], item));
  if (!isBody(pattern)) return value === pattern;
  return isBody(value) && Object.entries(pattern).every(([name, member]) => hasMembers(value[name], member));
}

/** The namespace of a controller's objects; its cluster-scoped objects have names that begin with it. */
const namespaceOf = (name: string): string => `sm-${name.slice(0, MAX_NAME_LENGTH)}`;

/** Creates the namespace of a controller and sends the requests of its effect. */
async function sendRequests(send: ScenarioSend, name: string, effect: Effect): Promise<void> {
  const session = new ScenarioSession(send, namespaceOf(name));
  const namespace = create('/api/v1/namespaces', { metadata: { name: '$NS' } });
  for (const request of [namespace, ...requestsOf(effect)]) {
    const code = await session.perform(request);
    if (code >= 300) throw new Error(`${name}: ${request.method} ${request.path} returned ${code}`);
  }
}

describe('the controllers program:', () => {
  const cluster = useControllers('controllers-program', {
    serverArgs: ['--naming=kubernetes', '--disable-admission-plugins=NodeRestriction'],
    prepare: async (server) => {
      // The requests are sent before the controllers start, because some controllers list only at their start and again
      // much later.
      const client = new ApiClient(server.address, server.certificates);
      const sendWithClient = sendWith(() => client);
      for (const [name, effect] of EFFECT_ROWS) await sendRequests(sendWithClient, name, effect);
      client.close();
      return [
        '--naming=kubernetes',
        '--controllers=*,bootstrapsigner,tokencleaner',
        '--horizontal-pod-autoscaler-sync-period=1s',
        '--node-startup-grace-period=1s',
        '--node-monitor-period=500ms',
        '--allocate-node-cidrs',
        '--cluster-cidr=10.244.0.0/16',
        '--development-load-balancer-addresses=192.0.2.0/24',
      ];
    },
  });
  const send = sendWith(useClosable(() => new ApiClient(cluster.server.address, cluster.server.certificates)));

  /** The items at an absolute path; none while the collection is not served. */
  async function listItems(path: string): Promise<readonly Body[]> {
    const response = await send('GET', path, {});
    return objectsIn(membersOf(response.body)['items']);
  }

  /** Items in the controller's namespace; of a cluster-scoped collection, those with the namespace as name prefix. */
  async function itemsOf(name: string, path: string): Promise<readonly Body[]> {
    const items = await listItems(absolutePath(path, namespaceOf(name)));
    const isClusterScoped = path.startsWith('/') && !path.includes('$NS') && !path.includes('?');
    return isClusterScoped ? items.filter((item) => objectNameOf(item).startsWith(namespaceOf(name))) : items;
  }

  async function isEffectVisible(name: string, { path, shows }: Effect): Promise<boolean> {
    const items = await itemsOf(name, path);
    if (shows === 'nothing') return items.length === 0;
    const pattern: Json = JSON.parse(JSON.stringify(shows).replaceAll('$NS', namespaceOf(name)));
    return items.some((item) => hasMembers(item, pattern));
  }

  test('the table of effects has a row for each controller', () => {
    expect(Object.keys(EFFECTS).sort()).toEqual([...NAMES].sort());
  });

  test('each controller holds its Lease', async () => {
    const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
    await waitUntil(
      'a Lease of each controller',
      async () => {
        const heldLeases = (await listItems(leases)).filter((lease) => hasMembers(lease, { spec: { holderIdentity: '<any>' } }));
        const names = heldLeases.map(objectNameOf);
        return NAMES.every((name) => names.includes(`controller-${name}`));
      },
      30_000,
    );
  }, 60_000);

  test.each(EFFECT_ROWS)(
    '%s has a visible effect',
    async (name, effect) => {
      await waitUntil(`the effect of ${name}`, () => isEffectVisible(name, effect), 30_000);
    },
    60_000,
  );
});

test('the program exits with code 64, as its supervisor expects, when --controllers names an unknown controller', async () => {
  const program = startProgram('controllers/main.js', ['--master=http://127.0.0.1:1', '--controllers=no-such-controller']);
  expect((await program.exited).code).toBe(64);
  expect(program.output).toBe(
    'controllers: --controllers: there is no controller "no-such-controller"\nSee \'controllers --help\' for its flags.\n',
  );
});
