/**
 * Runs the step list of an offloaded write in a worker thread. The steps are the same as on the server's thread;
 * steps that need the server's state are calls to that thread (messages.ts). The worker has no store and no other
 * objects.
 */
import { statusErrorFrom, StatusError } from '../../../../../shared/api/errors/status';
import type { MaybePromise } from '../../../../../shared/runtime/maybe-promise';
import { parseJson, ParseError } from '../../../../../shared/serialization';
import { stringAt, stringifyJson, type JsonObject, type JsonValue } from '../../../../../shared/values/json';
import { generateName } from '../../../../../shared/values/name-formats';
import { runSteps, type Steps } from '../../../../../shared/scheduling/steps';
import { NEVER_YIELDS } from '../../../../../shared/scheduling/yielding';
import { AllocationClaims } from '../../../../allocation/claims';
import type { ServiceAllocator } from '../../../../allocation/service-allocator';
import { parseObjectBody } from '../../../object/parse-body';
import type { ResourceInfo } from '../../../object/resource-info';
import { parseEntry, transientEntry } from '../../../object/stored-object';
import type { Admission, AdmissionOperation } from '../../../admission';
import type { ParsedBody, PatchBody, RequestContext } from '../../../verbs';
import { allocate, allocationOwnerOf } from '../../allocation';
import type { CurrentState } from '../../current-state';
import type { StepDependencies, WriteRequest } from '../../request';
import { bodyInfo } from '../../scale';
import type { WriteOutcome } from '../../steps/attempt';
import type { Step, StepExecution, StepName, StepRunner } from '../../steps/step';
import { planChange, planCreate, planDelete, planFinalDelete, type WritePlan } from '../../verbs/lists';
import { createSource, patchOrApplySource, updateSource } from '../../verbs/sources';
import type {
  StepReply,
  SideEffects,
  OffloadedOutcome,
  OffloadedWrite,
  OffloadResult,
  RemoteStep,
  ServerSteps,
  OffloadedAuditedRequest,
  OffloadedPayload,
} from './messages';
import { applyChanges, toObjectParts, type ObjectParts } from './lazy-object';
import { toBuffer, receiveEntry, transferEntry } from './transfer';

/**
 * The dependencies of steps in a worker thread. `admission` contains only plug-ins that depend on nothing but the
 * object.
 */
export interface WorkerDependencies extends StepDependencies {
  /** Creates an allocator in which nothing is allocated, for {@link OffloadedRun.runWithoutServerSteps}. */
  readonly createAllocator: () => ServiceAllocator;
}

/** Stands for the definition of the kind, which the server's thread checks. */
const EXISTING_DEFINITION = transientEntry('', 1, Buffer.from('{"metadata":{}}'));

type BodyPayload = Extract<OffloadedPayload, { readonly verb: 'create' | 'update' }>;

/** The server's thread does not need the result any more. */
class AbandonedError extends Error {}

/**
 * Runs the write and resolves with its outcome, a rejection included. Rejects with errors other than StatusError, which
 * are bugs.
 */
export async function runOffloaded(
  deps: WorkerDependencies,
  info: ResourceInfo,
  write: OffloadedWrite,
  remote: ServerSteps,
): Promise<OffloadResult> {
  const offloadedRun = new OffloadedRun(deps, info, write, remote);
  const outcome = await offloadedRun.run().catch(outcomeOfError);
  return { sideEffects: offloadedRun.takeSideEffects(), outcome };
}

function outcomeOfError(error: unknown): OffloadedOutcome {
  if (error instanceof StatusError) return { type: 'refused', status: error.status };
  if (error instanceof AbandonedError) return { type: 'abandoned' };
  throw error;
}

/** One write in the worker thread. */
class OffloadedRun {
  private warnings: string[] = [];
  private auditedRequest: OffloadedAuditedRequest | undefined;
  /** The object in step calls that do not contain it. */
  private nameOnly: JsonObject;
  private readonly current: CurrentState;

  constructor(
    private readonly outerDeps: WorkerDependencies,
    private readonly info: ResourceInfo,
    private readonly write: OffloadedWrite,
    private readonly remote: ServerSteps,
  ) {
    this.nameOnly = { metadata: { name: write.name } };
    const entry = write.entry === undefined ? undefined : receiveEntry(write.entry);
    this.current = { entry, namespace: undefined, definition: EXISTING_DEFINITION, lease: undefined, isFresh: true };
  }

  /** Returns the side effects since the last call, and forgets them. */
  takeSideEffects(): SideEffects {
    const sideEffects = { warnings: this.warnings, auditedRequest: this.auditedRequest };
    this.warnings = [];
    this.auditedRequest = undefined;
    return sideEffects;
  }

  /**
   * Runs the step list. If the steps of the server's thread would get the whole object, the list runs once before without
   * them, to find an object that is going to be rejected ({@link runWithoutServerSteps}).
   */
  async run(): Promise<OffloadedOutcome> {
    const plan = await this.createPlan();
    if (this.write.sendsObject) await this.runWithoutServerSteps(plan);
    const runner = new WorkerStepRunner(this.outerDeps, (step) => this.callStep(step), this.showObjects);
    return this.serializeOutcome(await plan(this.current, runner));
  }

  /**
   * Runs the list once without the plug-ins of the server's thread, so that these do not have to parse an object that
   * is going to be rejected. If the list rejects the object, the skipped steps are called with the name only, in case
   * one of them rejects the request first; reserveQuota is not, because it comes after every step that rejects objects.
   */
  private async runWithoutServerSteps(plan: WritePlan): Promise<void> {
    const skippedSteps: RemoteStep[] = [];
    const savedSideEffects = { warnings: [...this.warnings], auditedRequest: this.auditedRequest };
    const skip = (step: RemoteStep): Promise<undefined> => {
      skippedSteps.push(step);
      return Promise.resolve(undefined);
    };
    const showNameOnly: ShowObjects = () => ({ object: undefined, oldObject: undefined, nameOnly: this.nameOnly });
    try {
      await plan(this.current, new WorkerStepRunner(this.outerDeps, skip, showNameOnly, this.createClaims()));
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      for (const step of skippedSteps) if (step.step !== 'reserveQuota') await this.callStep(step);
      throw error;
    }
    this.warnings = savedSideEffects.warnings;
    this.auditedRequest = savedSideEffects.auditedRequest;
  }

  private async createPlan(): Promise<WritePlan> {
    const { write, info, outerDeps } = this;
    const { payload, namespace, name, subresource, dryRun } = write;
    const request: WriteRequest = { context: this.createContext(), info, namespace, name, subresource, dryRun, options: {} };
    switch (payload.verb) {
      case 'create': {
        const body = await this.parseBody(request, payload);
        const { source, name: bodyName, generateName: prefix } = createSource(outerDeps, { ...request, name: '' }, body, payload.options);
        const isGenerated = bodyName === '' && prefix !== '';
        // `name` is set in a repeated attempt of a create: the name that the attempt before has chosen.
        const newName = isGenerated && name === '' ? generateName(prefix, outerDeps.random) : bodyName;
        const chosenName = name === '' ? newName : name;
        this.nameOnly = { metadata: isGenerated ? { generateName: prefix } : { name: chosenName, generateName: prefix } };
        await this.callStep({ step: 'decode', name: chosenName, generateName: prefix, isGenerated });
        return planCreate({ ...request, name: bodyName }, chosenName, source, payload.options);
      }
      case 'update': {
        const body = await this.parseBody(request, payload);
        return planChange(request, updateSource(outerDeps, request, body, payload.options), payload.options);
      }
      case 'patch': {
        const patch = { type: payload.type, dialect: payload.dialect, bytes: toBuffer(payload.bytes) };
        if (write.auditsRequestObject) this.auditedRequest = { type: 'patch', text: withinAuditLimit(patchAsJson(patch)) };
        return planChange(request, await patchOrApplySource(outerDeps, request, patch, payload.options), payload.options);
      }
      case 'delete':
        return planDelete(request, payload.options);
      case 'finalDelete':
        return planFinalDelete(request, payload.uid);
    }
  }

  private parseBody(request: WriteRequest, { bytes, format }: BodyPayload): Promise<ParsedBody> {
    return parseObjectBody({ bytes: toBuffer(bytes), format }, bodyInfo(request).row, this.outerDeps.clock);
  }

  private createContext(): RequestContext {
    const { user, auditsRequestObject } = this.write;
    return {
      user,
      deadline: Infinity,
      isTurnOver: false,
      warn: (text) => void this.warnings.push(text),
      logRequestObject: (_row, metadata, object) => {
        this.auditedRequest ??= {
          type: 'object',
          metadata: identityOf(metadata),
          entry: auditsRequestObject ? transferEntry(object()) : undefined,
        };
      },
    };
  }

  private async callStep(step: RemoteStep): Promise<ObjectParts | undefined> {
    const reply: StepReply = await this.remote.callStep({ ...step, sideEffects: this.takeSideEffects() });
    switch (reply.type) {
      case 'done':
        return reply.changes;
      case 'refused':
        throw statusErrorFrom(reply.status);
      case 'abandoned':
        throw new AbandonedError();
    }
  }

  private readonly showObjects: ShowObjects = (object, old) => {
    const partsOf = (shown: JsonObject | undefined): ObjectParts | undefined =>
      this.write.sendsObject && shown !== undefined ? toObjectParts(shown) : undefined;
    return { object: partsOf(object), oldObject: partsOf(old), nameOnly: this.nameOnly };
  };

  /** Claims for kinds with allocations. The ids that the stored object holds are its own. */
  private createClaims(): AllocationClaims {
    const allocator = this.outerDeps.createAllocator();
    const { entry } = this.current;
    const { allocation } = this.info.strategy;
    if (entry !== undefined && allocation !== undefined) {
      const { object } = parseEntry(entry);
      const { uid } = allocationOwnerOf(object);
      for (const id of allocation.allocationsOf(object).keys())
        allocator.updateRecord(id, { revision: entry.revision, uid }, entry.revision);
    }
    return new AllocationClaims(allocator);
  }

  private serializeOutcome(outcome: WriteOutcome): OffloadedOutcome {
    switch (outcome.type) {
      case 'unchanged':
        return { type: 'unchanged', code: outcome.code };
      case 'missing':
        return outcome;
      case 'store': {
        const { isNew, value, allocation, removal, responseEntry } = outcome;
        // The server's thread derives the response from `value`, or from the removed object. Two responses differ: a create
        // in a dry run has no resourceVersion, or that of its body; an update that removes a terminating object returns the
        // object of the request.
        const hasOtherResponse = (isNew && this.write.dryRun) || (value === undefined && removal === undefined);
        const response = hasOtherResponse ? transferEntry(responseEntry(undefined)) : undefined;
        return { type: 'store', isNew, value, response, allocation, removal };
      }
    }
  }
}

/** The object and the stored object, as a step call sends them. */
type ShowObjects = (object?: JsonObject, old?: JsonObject) => Pick<ObjectStep, 'nameOnly' | 'object' | 'oldObject'>;
type ObjectStep = Extract<RemoteStep, { readonly operation: string }>;

/** Calls a step on the server's thread. Resolves with the changes that it made to the object. */
type CallStep = (step: RemoteStep) => Promise<ObjectParts | undefined>;

/** Runs one step list. Admission and allocation are calls to the server's thread. */
class WorkerStepRunner implements StepRunner, StepExecution {
  readonly deps: StepDependencies;

  /** `claims`: replaces calls to the allocator of the server; set in {@link OffloadedRun.runWithoutServerSteps}. */
  constructor(
    outerDeps: WorkerDependencies,
    private readonly callStep: CallStep,
    private readonly showObjects: ShowObjects,
    private readonly claims?: AllocationClaims,
  ) {
    const admission: Admission = {
      inspectsObject: () => true,
      callsWebhooks: () => false,
      dependsOnOtherObjects: () => false,
      mutate: async (request) => {
        await outerDeps.admission.mutate(request);
        await this.callObjectStep('mutatingAdmission', request.operation, request.object, request.oldObject);
      },
      validate: async ({ operation, object, oldObject }) => {
        await this.callObjectStep('validatingAdmission', operation, object, oldObject);
      },
      reserve: async ({ operation }) => {
        await this.callObjectStep('reserveQuota', operation);
        return undefined;
      },
    };
    this.deps = { ...outerDeps, admission };
  }

  run<In, Out>(name: StepName, step: Step<In, Out>, attempt: In): MaybePromise<Out> {
    if (name !== 'authorizeCreate') return step(attempt, this);
    return this.callStep({ step: name }).then(() => step(attempt, this));
  }

  compute<T>(steps: Steps<T>): MaybePromise<T> {
    return runSteps(steps, NEVER_YIELDS);
  }

  async allocate(info: ResourceInfo, object: JsonObject, old: JsonObject | undefined): Promise<void> {
    if (this.claims !== undefined) allocate(info, object, old, this.claims);
    else await this.callObjectStep('allocate', old === undefined ? 'CREATE' : 'UPDATE', object, old);
  }

  onFailure(): void {
    // Reservations are made on the server's thread, which releases them.
  }

  /** Applies the changes of the step to the object. */
  private async callObjectStep(
    step: ObjectStep['step'],
    operation: AdmissionOperation,
    object?: JsonObject,
    old?: JsonObject,
  ): Promise<void> {
    if (operation === 'CONNECT') throw new Error('a connection stores nothing');
    const changes = await this.callStep({ step, operation, ...this.showObjects(object, old) });
    if (changes !== undefined && object !== undefined) applyChanges(object, changes);
  }
}

/** A longer patch is left out of the audit log. */
const MAX_AUDITED_CHARACTERS = 1024 * 1024;
const withinAuditLimit = (text: string): string | undefined => (text.length > MAX_AUDITED_CHARACTERS ? undefined : text);

const IDENTITY_MEMBERS = ['namespace', 'name', 'uid', 'resourceVersion'];

const identityOf = (metadata: JsonObject): JsonObject =>
  Object.fromEntries(IDENTITY_MEMBERS.map((member): [string, JsonValue] => [member, stringAt(metadata, member) ?? '']));

/** The patch as JSON; a patch that is not JSON becomes a JSON string. */
function patchAsJson({ bytes }: PatchBody): string {
  try {
    return stringifyJson(parseJson(bytes).value);
  } catch (error) {
    if (error instanceof ParseError) return stringifyJson(bytes.toString());
    throw error;
  }
}
