/**
 * A thread of write-threads.ts: runs each write that it is given and answers with its outcome. It goes behind the threads that serve requests where there are
 * not processors enough for all.
 */
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { OPTIONAL_KINDS, SERVED_KINDS } from '../../../shared/api/kinds';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { systemClock } from '../../../shared/runtime/clock';
import { featureGates } from '../../../shared/cli/feature-gates';
import { systemRandom } from '../../../shared/runtime/random';
import { movable } from '../../../shared/scheduling/thread';
import { pureAdmission } from '../../admission/plugins';
import { Ledger } from '../../allocation/ledger';
import { listText } from '../../endpoints/answer/respond';
import { Encoders } from '../../endpoints/representation/encoders';
import type { ShownHeavy } from '../../endpoints/representation/showing';
import { tables } from '../../printers/table';
import { SentKinds } from '../../custom-resources/sent-kind';
import { resourceInfos, type ResourceInfo } from '../../registry/object/resource-info';
import { buildResources } from '../../registry/resources';
import { NO_CONVERSIONS } from '../../registry/conversions';
import type { Resource, ServedResource } from '../../registry/verbs';
import type { Answer, RemoteSteps, SentResource } from '../../registry/write/executor/offload/messages';
import { receivedEntry } from '../../registry/write/executor/offload/transfer';
import { runOffloaded, type WorkerDependencies } from '../../registry/write/executor/offload/worker';
import { strategyOf } from './strategies';
import type { ShowWork, WriteAnswer, WriteJob, WriteSetting, WriteWork } from './worker-messages';

/** Of a thread, where the system knows such; else of everything, which is not wanted. */
const NICENESS = 10;
if (process.platform === 'linux') setPriority(NICENESS);

const resources = buildResources([...SERVED_KINDS, ...OPTIONAL_KINDS]);
const custom = new SentKinds();

interface Server {
  readonly deps: WorkerDependencies;
  readonly infoOf: (resource: Resource) => ResourceInfo;
  readonly encoders: Encoders;
}

let server: Server | undefined;

function serverOf({ naming, prefix, eventTtlSeconds, gates, plugins, ranges, nodePorts }: WriteSetting): Server {
  const names = GENERATED_NAMES[naming];
  const enabled = featureGates(gates);
  const ledger = (): Ledger =>
    new Ledger({ ranges, nodePorts, prefix, random: systemRandom, firstAddressFor: { namespace: 'default', name: names.defaultService } });
  const { families } = ledger();
  const deps: WorkerDependencies = {
    admission: pureAdmission(names, plugins),
    clock: systemClock,
    random: systemRandom,
    names,
    eventTtlSeconds,
    // Whoever has to ask a webhook does not come here.
    conversions: NO_CONVERSIONS,
    strategyContext: ({ context }) => ({
      names,
      user: context.user,
      warn: (text) => context.warn(text),
      now: systemClock.now(),
      serviceFamilies: families,
      gates: enabled,
    }),
    ledger,
  };
  return { deps, infoOf: resourceInfos(prefix, naming, strategyOf), encoders: new Encoders({ table: tables, clock: systemClock, naming }) };
}

/** What is shown need not be stored. */
function servedOf(sent: SentResource): ServedResource {
  if (sent.type === 'custom') return custom.of(sent);
  const found = resources.find(sent.group, sent.version, sent.resource);
  if (found === undefined) throw new Error(`the kind table has no row for ${sent.resource}`);
  return found;
}

function resourceOf(sent: SentResource): Resource {
  const found = servedOf(sent);
  if (found.stored === undefined) throw new Error(`nothing is stored of ${found.row.resource}`);
  return found;
}

function shownBy(encoders: Encoders, { resource, wanted, names, include, entry, as }: ShowWork): ShownHeavy {
  const form = { row: servedOf(resource).row, wanted, names, include };
  const encoder = encoders.of(form);
  const shown = receivedEntry(entry);
  if (as === 'object') return { body: encoder.object(shown) };
  listText(encoder, { revision: entry.revision, entries: [shown] });
  return { kept: encoders.cache.slot(shown) };
}

/** Questions are asked one after the other. */
function remoteSteps({ server: port }: WriteWork): RemoteSteps {
  return {
    ask: (question) =>
      new Promise((resolve) => {
        port.once('message', (found: Answer) => resolve(found));
        port.postMessage(question);
      }),
  };
}

async function answer({ setting, work }: WriteJob): Promise<WriteAnswer> {
  try {
    const { deps, infoOf, encoders } = (server ??= serverOf(setting));
    if (work.type === 'show') return { shown: shownBy(encoders, work) };
    return { result: await runOffloaded(deps, infoOf(resourceOf(work.resource)), work, remoteSteps(work)) };
  } catch (error) {
    return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

/** What was made for the answer goes as it is; what is shown stays in the encoders' cache as well. */
function memoryOf(made: WriteAnswer): ArrayBuffer[] {
  const outcome = 'result' in made ? made.result.outcome : undefined;
  return outcome?.type === 'store' ? movable([outcome.value, outcome.shown?.bytes]) : [];
}

parentPort?.on('message', (job: WriteJob) => void answer(job).then((made) => parentPort?.postMessage(made, memoryOf(made))));
