/**
 * An offloaded attempt on the server's thread: starts the step list in a worker thread, runs the steps that the
 * worker calls, and returns the outcome. Rejections occur in the order of the steps, wherever these run.
 */
import { statusErrorFrom, StatusError } from '../../../../../shared/api/errors/status';
import type { AllocationClaims } from '../../../../allocation/claims';
import type { Entry } from '../../../../cache/cache';
import { createEntry } from '../../../../cache/store/entry';
import type { AdmissionRequest, Reservation } from '../../../admission';
import { entryKey } from '../../../resources';
import { allocate } from '../../allocation';
import type { CurrentState } from '../../current-state';
import { alreadyExistsError, ensureDefinitionExists } from '../../preconditions';
import { admissionRequest, type WriteDependencies, type WriteRequest } from '../../request';
import { bodyInfo } from '../../scale';
import { withServerPreconditions } from '../../steps/admit';
import type { WriteOutcome } from '../../steps/attempt';
import { atRevision } from '../../steps/delete';
import type {
  StepReply,
  SideEffects,
  OffloadedOutcome,
  OffloadedPayload,
  OffloadResult,
  OffloadThreads,
  RemoteStep,
  StepCall,
  ServerSteps,
} from './messages';
import { LazyObject } from './lazy-object';
import { toBuffer, receiveEntry, transferEntry, transferResource, transferPayload } from './transfer';

/** What a request sends to a worker thread. */
export interface OffloadedRequest {
  readonly payload: OffloadedPayload;
  /** The endpoint has not parsed the body or patch, so the worker thread reports it to the audit log. */
  readonly isUnparsed: boolean;
}

/** The name of the object, as the worker thread has decoded or generated it. */
type DecodedName = Omit<Extract<RemoteStep, { readonly step: 'decode' }>, 'step'>;

interface AttemptState {
  readonly current: CurrentState;
  readonly claims: AllocationClaims | undefined;
}

const STEP_DONE: StepReply = { type: 'done', changes: undefined };
const ABANDONED: StepReply = { type: 'abandoned' };

/**
 * One attempt in a worker thread. It starts when it is constructed. The steps that run on this thread wait until
 * {@link outcome} is called with the state that they run on. The caller calls either `outcome` or {@link abandon}.
 */
export class OffloadedAttempt implements ServerSteps {
  private readonly result: Promise<OffloadResult>;
  private readonly sendsObject: boolean;
  /** Resolved by `outcome`, and with `undefined` by `abandon`. */
  private readonly state = createDeferred<AttemptState | undefined>();
  private readonly decoded = createDeferred<DecodedName>();
  private nameInfo: DecodedName;
  private lastAdmission: AdmissionRequest | undefined;
  private reservation: Reservation | undefined;
  /** An error in a step on this thread other than a StatusError. */
  private unexpectedError: { readonly error: unknown } | undefined;

  /** Starts the step list. `name`: empty for a create before its body is decoded. */
  constructor(
    private readonly deps: WriteDependencies,
    threads: OffloadThreads,
    private readonly request: WriteRequest,
    private readonly offloaded: OffloadedRequest,
    { name, entry }: { readonly name: string; readonly entry: Entry | undefined },
  ) {
    const { context, info, namespace, subresource, dryRun } = request;
    const { payload, isUnparsed } = offloaded;
    this.nameInfo = { name, generateName: '', isGenerated: false };
    this.sendsObject = isObjectInspected(deps, request, payload.verb);
    const write = {
      type: 'write',
      payload: transferPayload(payload),
      resource: transferResource(info.resource),
      namespace,
      name,
      subresource,
      dryRun,
      user: context.user,
      entry: entry === undefined ? undefined : transferEntry(entry),
      auditsRequestObject: isUnparsed && context.auditsRequestObject === true,
      sendsObject: this.sendsObject,
    } as const;
    this.result = threads.run(write, this);
  }

  /**
   * The name of a created object, as soon as the worker thread has decoded the body. Rejects with the error in the
   * body.
   */
  decodedName(): Promise<DecodedName> {
    const nameOrError = this.result.then((result): DecodedName => {
      if (this.nameInfo.name !== '') return this.nameInfo;
      this.reportSideEffects(result.sideEffects);
      throw this.errorOf(result.outcome);
    });
    return Promise.race([this.decoded.promise, nameOrError]);
  }

  /** Stops the worker thread at its next step call. Nothing is stored, and no result is reported. */
  abandon(): void {
    this.result.catch(() => undefined);
    this.state.resolve(undefined);
  }

  /** Starts the waiting steps on this state and resolves with the outcome of the step list. Called at most once. */
  async outcome(current: CurrentState, claims: AllocationClaims | undefined): Promise<WriteOutcome> {
    this.state.resolve({ current, claims });
    try {
      const { sideEffects, outcome } = await this.result;
      this.reportSideEffects(sideEffects);
      return this.toWriteOutcome(outcome, current);
    } catch (error) {
      this.reservation?.complete();
      throw error;
    }
  }

  /** Runs a step that the worker thread calls; waits until the attempt has a state. */
  async callStep(call: StepCall): Promise<StepReply> {
    this.reportSideEffects(call.sideEffects);
    if (call.step === 'decode') {
      const { name, generateName, isGenerated } = call;
      this.nameInfo = { name, generateName, isGenerated };
      this.decoded.resolve(this.nameInfo);
    }
    const state = await this.state.promise;
    if (state === undefined) return ABANDONED;
    try {
      return await this.runStep(call, state);
    } catch (error) {
      if (error instanceof StatusError) return { type: 'refused', status: error.status };
      this.unexpectedError = { error };
      return ABANDONED;
    }
  }

  private async runStep(call: StepCall, state: AttemptState): Promise<StepReply> {
    const { admission } = this.deps;
    const { context, info } = this.request;
    switch (call.step) {
      case 'decode':
        return STEP_DONE;
      case 'authorizeCreate': {
        const refusal = await context.authorizeCreate?.();
        if (refusal !== undefined) throw refusal;
        return STEP_DONE;
      }
      case 'mutatingAdmission':
      case 'allocate': {
        const lazyObject = lazyObjectOf(call);
        const request = this.admissionRequestOf(call, state, lazyObject);
        if (call.step === 'mutatingAdmission') await admission.mutate(request);
        else if (request.object !== undefined) allocate(info, request.object, request.oldObject, state.claims);
        return replyWithChanges(context, lazyObject);
      }
      case 'validatingAdmission':
        this.lastAdmission = this.admissionRequestOf(call, state, lazyObjectOf(call));
        await admission.validate(this.lastAdmission);
        return STEP_DONE;
      case 'reserveQuota':
        // The quota plug-in gets the object that validating plug-ins got.
        this.lastAdmission ??= this.admissionRequestOf(call, state, undefined);
        this.reservation = await admission.reserve(this.lastAdmission);
        return STEP_DONE;
    }
  }

  /**
   * The request as plug-ins on this thread see it. Unless one of them inspects objects, the objects in it contain only the
   * name.
   */
  private admissionRequestOf(
    { operation, oldObject: oldParts, nameOnly }: ObjectStepCall,
    { current }: AttemptState,
    lazyObject: LazyObject | undefined,
  ): AdmissionRequest {
    const { name, isGenerated } = this.nameInfo;
    const createOnUpdate = operation === 'CREATE' && this.offloaded.payload.verb !== 'create' ? { isCreateOnUpdate: true as const } : {};
    // As on the server's thread, a generated name is missing in the request; only the object has it.
    const request = { ...this.request, ...createOnUpdate, name: isGenerated ? '' : name };
    const object = lazyObject?.object ?? (operation === 'DELETE' ? undefined : nameOnly);
    const oldNameOnly = operation === 'UPDATE' ? nameOnly : undefined;
    const oldObject = oldParts === undefined ? oldNameOnly : new LazyObject(oldParts).object;
    const admitted = operation === 'DELETE' && oldObject !== undefined ? withServerPreconditions(request, oldObject) : request;
    return admissionRequest(admitted, { operation, current, object, oldObject });
  }

  private reportSideEffects({ warnings, auditedRequest }: SideEffects): void {
    const { context } = this.request;
    for (const warning of warnings) context.warn(warning);
    if (auditedRequest === undefined || !this.offloaded.isUnparsed) return;
    switch (auditedRequest.type) {
      case 'patch':
        if (context.auditsRequestObject === true) context.logRequestPatch?.(auditedRequest.text);
        return;
      case 'object':
        context.logRequestObject?.(bodyInfo(this.request).row, auditedRequest.metadata, () => {
          if (auditedRequest.entry === undefined) throw new Error('an object that was not sent to the worker is to be recorded');
          return receiveEntry(auditedRequest.entry);
        });
    }
  }

  /** The error of an attempt that ended without a result to store. */
  private errorOf(outcome: OffloadedOutcome): unknown {
    if (this.unexpectedError !== undefined) return this.unexpectedError.error;
    return outcome.type === 'refused' ? statusErrorFrom(outcome.status) : new Error(`a worker thread reported ${outcome.type} too early`);
  }

  private toWriteOutcome(outcome: OffloadedOutcome, current: CurrentState): WriteOutcome {
    const { reservation } = this;
    const { info, namespace } = this.request;
    const { name, generateName } = this.nameInfo;
    const { entry } = current;
    switch (outcome.type) {
      case 'refused':
      case 'abandoned':
        throw this.errorOf(outcome);
      case 'unchanged':
        return { ...outcome, reservation };
      case 'missing':
        return outcome;
      case 'store': {
        const { isNew, response, allocation, removal } = outcome;
        // The worker thread has not seen the state of the name that it decoded or generated.
        if (isNew && entry !== undefined) throw alreadyExistsError(info, name, { generateName }, entry);
        if (isNew && info.row.custom !== undefined) ensureDefinitionExists(info, current.definition);
        const value = outcome.value === undefined ? undefined : toBuffer(outcome.value);
        const key = entryKey({ namespace, name });
        const responseEntry = (revision = entry?.revision ?? 0): Entry => {
          if (response !== undefined) return receiveEntry(response);
          if (value !== undefined) return createEntry(info.stored, key, revision, value);
          if (entry === undefined) throw new Error('an object that does not exist is deleted');
          return atRevision(entry, entry.bytes.toString(), revision);
        };
        return { type: 'store', isNew, value, responseEntry, allocation, reservation, removal };
      }
    }
  }
}

type ObjectStepCall = Extract<StepCall, { readonly operation: string }>;

const lazyObjectOf = ({ object }: ObjectStepCall): LazyObject | undefined => (object === undefined ? undefined : new LazyObject(object));

/** Requeues before the changes are encoded, because plug-ins have parsed the parts in the same turn. */
async function replyWithChanges(context: WriteRequest['context'], lazyObject: LazyObject | undefined): Promise<StepReply> {
  if (lazyObject === undefined) return STEP_DONE;
  await context.requeue?.();
  return { type: 'done', changes: lazyObject.changes() };
}

/** Whether a step on this thread reads more of the object than its name. */
export function isObjectInspected({ admission }: WriteDependencies, request: WriteRequest, verb: OffloadedPayload['verb']): boolean {
  const { info, context, namespace, subresource } = request;
  const target = { resource: info.resource, subresource, namespace, user: context.user };
  if (verb === 'finalDelete') return false;
  if (verb === 'delete') return admission.inspectsObject({ ...target, operation: 'DELETE' });
  if (info.strategy.allocation !== undefined) return true;
  return (['CREATE', 'UPDATE'] as const).some((operation) => admission.inspectsObject({ ...target, operation }));
}

interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
}

function createDeferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((resolvePromise) => (resolve = resolvePromise));
  return { promise, resolve };
}
