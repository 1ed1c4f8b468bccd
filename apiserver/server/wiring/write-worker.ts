/**
 * The entry of the worker threads of write-threads.ts: runs each job and posts its result. Runs at lower priority
 * than the threads that serve requests.
 */
import { getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { OPTIONAL_KINDS, SERVED_KINDS } from '../../../shared/api/kinds';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { systemClock } from '../../../shared/runtime/clock';
import { featureGates } from '../../../shared/cli/feature-gates';
import { systemRandom } from '../../../shared/runtime/random';
import { transferableBuffers } from '../../../shared/scheduling/worker-thread';
import { createWorkerAdmission } from '../../admission/plugins/default-admission';
import { ServiceAllocator } from '../../allocation/service-allocator';
import { encodeListText } from '../../endpoints/response/send-response';
import { Encoders } from '../../endpoints/representation/encoders';
import type { OffloadedEncoding } from '../../endpoints/representation/encoding-offload';
import { tableConvertor } from '../../printers/table';
import { TransferredKinds } from '../../custom-resources/transferred-kinds';
import { createResourceInfoLookup, type ResourceInfo } from '../../registry/object/resource-info';
import { buildResources } from '../../registry/resources';
import { NO_CONVERSIONS } from '../../registry/conversions';
import type { Resource, ServedResource } from '../../registry/verbs';
import type { StepReply, ServerSteps, TransferredResource } from '../../registry/write/executor/offload/messages';
import { receiveEntry } from '../../registry/write/executor/offload/transfer';
import { runOffloaded, type WorkerDependencies } from '../../registry/write/executor/offload/run-offloaded';
import { strategyFor } from './strategies';
import type { EncodeTask, WorkerResult, WorkerJob, WorkerSettings, WriteTask } from './worker-messages';

/** The priority of this thread. Only on Linux can a thread have its own; elsewhere the whole process would get it. */
const NICENESS = 10;
// Only root may lower the niceness of a process that was started with a higher one.
if (process.platform === 'linux' && getPriority() < NICENESS) setPriority(NICENESS);

const resources = buildResources([...SERVED_KINDS, ...OPTIONAL_KINDS]);
const custom = new TransferredKinds();

/** What the jobs of this thread share. Created from the settings in the first job; they are the same in every job. */
interface WorkerState {
  readonly deps: WorkerDependencies;
  readonly infoOf: (resource: Resource) => ResourceInfo;
  readonly encoders: Encoders;
}

let state: WorkerState | undefined;

function createState({ naming, prefix, eventTtlSeconds, gates, plugins, ranges, nodePorts }: WorkerSettings): WorkerState {
  const names = GENERATED_NAMES[naming];
  const enabled = featureGates(gates);
  const createAllocator = (): ServiceAllocator =>
    new ServiceAllocator({
      ranges,
      nodePorts,
      prefix,
      random: systemRandom,
      firstAddressFor: { namespace: 'default', name: names.defaultService },
    });
  const { families } = createAllocator();
  const deps: WorkerDependencies = {
    admission: createWorkerAdmission(names, plugins),
    clock: systemClock,
    random: systemRandom,
    names,
    eventTtlSeconds,
    // Writes that need conversion webhooks are not offloaded.
    conversions: NO_CONVERSIONS,
    strategyContext: ({ context }) => ({
      names,
      user: context.user,
      warn: (text) => context.warn(text),
      now: systemClock.now(),
      serviceFamilies: families,
      gates: enabled,
    }),
    createAllocator,
  };
  return {
    deps,
    infoOf: createResourceInfoLookup(prefix, naming, strategyFor),
    encoders: new Encoders({ table: tableConvertor, clock: systemClock, naming }),
  };
}

/** The resource of a job in this thread. It may have no stored objects, when an object of it is only encoded. */
function servedResourceOf(sent: TransferredResource): ServedResource {
  if (sent.type === 'custom') return custom.resourceOf(sent);
  const match = resources.find(sent.group, sent.version, sent.resource);
  if (match === undefined) throw new Error(`the kind table has no row for ${sent.resource}`);
  return match;
}

function storedResourceOf(sent: TransferredResource): Resource {
  const match = servedResourceOf(sent);
  if (match.stored === undefined) throw new Error(`nothing is stored of ${match.row.resource}`);
  return match;
}

function encodeForResponse(encoders: Encoders, { resource, wanted, names, include, entry, as }: EncodeTask): OffloadedEncoding {
  const form = { row: servedResourceOf(resource).row, wanted, names, include };
  const encoder = encoders.encoderFor(form);
  const received = receiveEntry(entry);
  if (as === 'object') return { body: encoder.object(received, 'uncached') };
  encodeListText(encoder, { revision: entry.revision, entries: [received] });
  return { encodings: encoders.cache.encodingsOf(received) };
}

/** The steps of a write are sequential, so the next message is the reply to the last call. */
function remoteSteps({ server: port }: WriteTask): ServerSteps {
  return {
    callStep: (call) =>
      new Promise((resolve) => {
        port.once('message', (reply: StepReply) => resolve(reply));
        port.postMessage(call);
      }),
  };
}

async function runJob({ settings, task }: WorkerJob): Promise<WorkerResult> {
  try {
    const { deps, infoOf, encoders } = (state ??= createState(settings));
    if (task.type === 'encode') return { encoding: encodeForResponse(encoders, task) };
    return { result: await runOffloaded(deps, infoOf(storedResourceOf(task.resource)), task, remoteSteps(task)) };
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

/**
 * The buffers that are transferred instead of copied: those that were created for the result. Encodings are copied,
 * because the cache of the encoders keeps them.
 */
function transferList(result: WorkerResult): ArrayBuffer[] {
  const outcome = 'result' in result ? result.result.outcome : undefined;
  return outcome?.type === 'store' ? transferableBuffers([outcome.value, outcome.response?.bytes]) : [];
}

parentPort?.on('message', (job: WorkerJob) => void runJob(job).then((result) => parentPort?.postMessage(result, transferList(result))));
