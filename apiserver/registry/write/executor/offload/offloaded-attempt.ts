/**
 * One offloaded attempt as the server's thread sees it: starts the list in a worker thread, runs the steps that the worker asks for, and returns what the list
 * comes to. Refusals reach the client in the order of the steps, wherever these run.
 */
import { statusErrorFrom, StatusError } from '../../../../../shared/api/errors/status';
import type { AllocationClaims } from '../../../../allocation/claims';
import type { Entry } from '../../../../cache/cache';
import { createEntry } from '../../../../cache/store/entry';
import type { AdmissionRequest, Reservation } from '../../../admission';
import { entryKey } from '../../../resources';
import { allocate } from '../../allocation';
import type { Current } from '../../guaranteed-update';
import { alreadyExists, checkDefinition } from '../../preconditions';
import { admissionRequest, type WriteDependencies, type WriteRequest } from '../../request';
import { bodyInfo } from '../../scale';
import { asAdmitted } from '../../steps/admit';
import type { WriteOutcome } from '../../steps/attempt';
import { atRevision } from '../../steps/delete';
import type { Answer, Notes, OffloadedOutcome, OffloadedVerb, OffloadResult, OffloadThreads, StepQuestion, RemoteSteps } from './messages';
import { ShownObject } from './lazy-object';
import { bufferOf, receivedEntry, sentEntry, sentResource, sentVerb } from './transfer';

/** What a request sends to a worker thread. */
export interface OffloadedRequest {
  readonly what: OffloadedVerb;
  /** Nothing of the body or patch has been read on the server's thread, so that the worker has to report it. */
  readonly isUnread: boolean;
}

export interface DecodedName {
  readonly name: string;
  readonly generateName: string;
  readonly isGenerated: boolean;
}

interface State {
  readonly current: Current;
  readonly claims: AllocationClaims | undefined;
}

const DONE: Answer = { type: 'done', changes: undefined };
const ABANDONED: Answer = { type: 'abandoned' };

export class OffloadedAttempt implements RemoteSteps {
  private readonly result: Promise<OffloadResult>;
  private readonly showsObject: boolean;
  /** Undefined when the attempt is abandoned. */
  private readonly state = deferred<State | undefined>();
  private readonly decoded = deferred<DecodedName>();
  private named: DecodedName;
  private admitted: AdmissionRequest | undefined;
  private reservation: Reservation | undefined;
  /** What went wrong in a step here that is no refusal. */
  private fault: { readonly error: unknown } | undefined;

  /** `name`: of a creation that has not been read, '' . `entry`: the stored object. */
  constructor(
    private readonly deps: WriteDependencies,
    threads: OffloadThreads,
    private readonly request: WriteRequest,
    private readonly offloaded: OffloadedRequest,
    name: string,
    entry: Entry | undefined,
  ) {
    const { context, info, namespace, subresource, dryRun } = request;
    const { what, isUnread } = offloaded;
    this.named = { name, generateName: '', isGenerated: false };
    this.showsObject = inspectsObject(deps, request, what.verb);
    const write = {
      type: 'write',
      what: sentVerb(what),
      resource: sentResource(info.resource),
      namespace,
      name,
      subresource,
      dryRun,
      user: context.user,
      entry: entry === undefined ? undefined : sentEntry(entry),
      keepsSent: isUnread && context.keepsSent === true,
      showsObject: this.showsObject,
    } as const;
    this.result = threads.run(write, this);
  }

  /** Of a creation: the name of the object, as soon as the worker has decoded it. Rejects with what is wrong with the body. */
  decodedName(): Promise<DecodedName> {
    const failed = this.result.then((result): Promise<never> | DecodedName => {
      if (this.named.name !== '') return this.named;
      this.report(result.notes);
      throw this.failureOf(result.outcome);
    });
    return Promise.race([this.decoded.promise, failed]);
  }

  /** The worker stops at its next question. */
  abandon(): void {
    this.result.catch(() => undefined);
    this.state.resolve(undefined);
  }

  /** What the list comes to on this state. */
  async outcome(current: Current, claims: AllocationClaims | undefined): Promise<WriteOutcome> {
    this.state.resolve({ current, claims });
    try {
      const { notes, outcome } = await this.result;
      this.report(notes);
      return this.outcomeFrom(outcome, current);
    } catch (error) {
      this.reservation?.over();
      throw error;
    }
  }

  async ask(question: StepQuestion): Promise<Answer> {
    this.report(question.notes);
    if (question.step === 'decode') {
      const { name, generateName, isGenerated } = question;
      this.named = { name, generateName, isGenerated };
      this.decoded.resolve(this.named);
    }
    const state = await this.state.promise;
    if (state === undefined) return ABANDONED;
    try {
      return await this.perform(question, state);
    } catch (error) {
      if (error instanceof StatusError) return { type: 'refused', status: error.status };
      this.fault = { error };
      return ABANDONED;
    }
  }

  private async perform(question: StepQuestion, state: State): Promise<Answer> {
    const { admission } = this.deps;
    const { context, info } = this.request;
    switch (question.step) {
      case 'decode':
        return DONE;
      case 'authorizeCreate': {
        const refusal = await context.creationRefusal?.();
        if (refusal !== undefined) throw refusal;
        return DONE;
      }
      case 'mutatingAdmission': {
        const shown = shownIn(question);
        await admission.mutate(this.admissionOf(question, state, shown));
        return changed(context, shown);
      }
      case 'allocate': {
        const shown = shownIn(question);
        const { object, oldObject } = this.admissionOf(question, state, shown);
        if (object !== undefined) allocate(info, object, oldObject, state.claims);
        return changed(context, shown);
      }
      case 'validatingAdmission':
        this.admitted = this.admissionOf(question, state, shownIn(question));
        await admission.validate(this.admitted);
        return DONE;
      case 'reserveQuota':
        // The plug-in is shown the object that validating plug-ins have been shown.
        this.admitted ??= this.admissionOf(question, state, undefined);
        this.reservation = await admission.reserve(this.admitted);
        return DONE;
    }
  }

  /** Plug-ins that look at no more than the name of an object are shown nothing else of it. */
  private admissionOf({ operation, old, head }: ObjectQuestion, { current }: State, shown: ShownObject | undefined): AdmissionRequest {
    const { name, isGenerated } = this.named;
    const creates = operation === 'CREATE' && this.offloaded.what.verb !== 'create' ? { creates: 'instead' as const } : {};
    const request = { ...this.request, ...creates, name: isGenerated ? '' : name };
    const object = shown?.object ?? (operation === 'DELETE' ? undefined : head);
    const oldObject = old === undefined ? (operation === 'UPDATE' ? head : undefined) : new ShownObject(old).object;
    const asked = operation === 'DELETE' && oldObject !== undefined ? asAdmitted(request, oldObject) : request;
    return admissionRequest(asked, operation, current, object, oldObject);
  }

  private report({ warnings, sent }: Notes): void {
    const { context } = this.request;
    for (const warning of warnings) context.warn(warning);
    if (sent === undefined || !this.offloaded.isUnread) return;
    switch (sent.type) {
      case 'patch':
        if (context.keepsSent === true) context.sentPatch?.(sent.text);
        return;
      case 'object':
        context.sent?.(bodyInfo(this.request).row, sent.metadata, () => {
          if (sent.entry === undefined) throw new Error('an object is to be recorded that the worker was not asked for');
          return receivedEntry(sent.entry);
        });
    }
  }

  private failureOf(outcome: OffloadedOutcome): unknown {
    if (this.fault !== undefined) return this.fault.error;
    return outcome.type === 'refused' ? statusErrorFrom(outcome.status) : new Error(`a worker thread came to ${outcome.type} too early`);
  }

  private outcomeFrom(outcome: OffloadedOutcome, current: Current): WriteOutcome {
    const { reservation } = this;
    const { info, namespace } = this.request;
    const { name, generateName } = this.named;
    const { entry } = current;
    switch (outcome.type) {
      case 'refused':
      case 'abandoned':
        throw this.failureOf(outcome);
      case 'unchanged':
        return { ...outcome, reservation };
      case 'gone':
        return outcome;
      case 'store': {
        const { isNew, shown, allocation, removal } = outcome;
        if (isNew && entry !== undefined) throw alreadyExists(info, name, { generateName }, entry);
        if (isNew && info.row.custom !== undefined) checkDefinition(info, current.definition);
        const value = outcome.value === undefined ? undefined : bufferOf(outcome.value);
        const key = entryKey({ namespace, name });
        const entryAt = (revision = entry?.revision ?? 0): Entry => {
          if (shown !== undefined) return receivedEntry(shown);
          if (value !== undefined) return createEntry(info.stored, key, revision, value);
          if (entry === undefined) throw new Error('an object is deleted that does not exist');
          return atRevision(entry, entry.bytes.toString(), revision);
        };
        return { type: 'store', isNew, value, shown: entryAt, allocation, reservation, ...(removal === undefined ? {} : { removal }) };
      }
    }
  }
}

type ObjectQuestion = Extract<StepQuestion, { readonly operation: string }>;

const shownIn = ({ object }: ObjectQuestion): ShownObject | undefined => (object === undefined ? undefined : new ShownObject(object));

/** Requeues before it writes what a step has changed, because plug-ins have read the parts in the same turn. */
async function changed(context: WriteRequest['context'], shown: ShownObject | undefined): Promise<Answer> {
  if (shown === undefined) return DONE;
  await context.requeue?.();
  return { type: 'done', changes: shown.changes() };
}

/** Whether a step of this thread looks at more of the object than its name. */
export function inspectsObject({ admission }: WriteDependencies, request: WriteRequest, verb: OffloadedVerb['verb']): boolean {
  const { info, context, namespace, subresource } = request;
  const asked = { resource: info.resource, subresource, namespace, user: context.user };
  if (verb === 'finalDelete') return false;
  if (verb === 'delete') return admission.looksInto({ ...asked, operation: 'DELETE' });
  if (info.strategy.allocation !== undefined) return true;
  return (['CREATE', 'UPDATE'] as const).some((operation) => admission.looksInto({ ...asked, operation }));
}

interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
}

function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}
