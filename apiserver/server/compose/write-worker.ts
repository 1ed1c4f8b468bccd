/**
 * A thread of write-threads.ts: works out each heavy write that it is given and answers it. It goes behind the threads that serve requests where there are
 * not processors enough for all.
 */
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { OPTIONAL_KINDS, SERVED_KINDS } from '../../../shared/api/kinds';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { systemClock } from '../../../shared/runtime/clock';
import { featureGates } from '../../../shared/runtime/feature-gates';
import { systemRandom } from '../../../shared/runtime/random';
import { pureAdmission } from '../../admission/plugins';
import { Ledger } from '../../allocation/ledger';
import { SentKinds } from '../../custom-resources/sent-kind';
import { resourceInfos, type ResourceInfo } from '../../registry/object/resource-info';
import { buildResources } from '../../registry/resources';
import type { Resource } from '../../registry/verbs';
import type { SentResource } from '../../registry/write/heavy';
import { workOutHeavy, workOutRemoval, type WorkPath } from '../../registry/write/heavy-work';
import { strategyOf } from './strategies';
import type { WriteAnswer, WriteJob, WriteSetting } from './write-job';

/** Of a thread, where the system knows such; else of everything, which is not wanted. */
const NICENESS = 10;
if (process.platform === 'linux') setPriority(NICENESS);

const resources = buildResources([...SERVED_KINDS, ...OPTIONAL_KINDS]);
const custom = new SentKinds();

interface Server {
  readonly path: WorkPath;
  readonly infoOf: (resource: Resource) => ResourceInfo;
}

let server: Server | undefined;

function serverOf({ naming, prefix, eventTtlSeconds, gates, ranges, nodePorts, maxOperations }: WriteSetting): Server {
  const names = GENERATED_NAMES[naming];
  const enabled = featureGates(gates);
  const ledger = (): Ledger =>
    new Ledger({ ranges, nodePorts, prefix, random: systemRandom, firstAddressFor: { namespace: 'default', name: names.defaultService } });
  const { families } = ledger();
  const path: WorkPath = {
    admission: pureAdmission(names),
    clock: systemClock,
    random: systemRandom,
    names,
    eventTtlSeconds,
    store: { maxOperations },
    strategyContext: ({ context: { user } }) => ({ names, user, now: systemClock.now(), serviceFamilies: families, gates: enabled }),
    ledger,
  };
  return { path, infoOf: resourceInfos(prefix, naming, strategyOf) };
}

function resourceOf(sent: SentResource): Resource {
  if (sent.type === 'custom') return custom.of(sent);
  const found = resources.find(sent.group, sent.version, sent.resource);
  if (found?.stored === undefined) throw new Error(`the kind table has no row for ${sent.resource}`);
  return found;
}

async function answer({ setting, work }: WriteJob): Promise<WriteAnswer> {
  try {
    const { path, infoOf } = (server ??= serverOf(setting));
    const info = infoOf(resourceOf(work.resource));
    if (work.type === 'removal') return { removal: await workOutRemoval(path, info, work) };
    return { outcome: await workOutHeavy(path, info, work) };
  } catch (error) {
    return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

parentPort?.on('message', (job: WriteJob) => void answer(job).then((made) => parentPort?.postMessage(made)));
