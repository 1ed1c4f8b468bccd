/**
 * Runs the list of an offloaded write in a worker thread. The steps are the same as on the server's thread; those that need that thread ask it
 * (messages.ts). Knows no store and no other objects.
 */
import { statusErrorFrom, StatusError } from '../../../../../shared/api/errors/status';
import type { MaybePromise } from '../../../../../shared/runtime/maybe-promise';
import { parseJson, SyntaxFault } from '../../../../../shared/serialization';
import { stringAt, stringifyJson, type JsonObject, type JsonValue } from '../../../../../shared/values/json';
import { generateName } from '../../../../../shared/values/name-formats';
import { runSteps, type Steps } from '../../../../../shared/scheduling/steps';
import { NEVER_YIELDS } from '../../../../../shared/scheduling/yielding';
import { AllocationClaims } from '../../../../allocation/claims';
import type { Ledger } from '../../../../allocation/service-allocator';
import type { Entry } from '../../../../cache/cache';
import { parseObject } from '../../../object/parse-body';
import type { ResourceInfo } from '../../../object/resource-info';
import { parseEntry } from '../../../object/stored-object';
import type { Admission, AdmissionOperation } from '../../../admission';
import type { PatchBody, RequestContext } from '../../../verbs';
import { allocate, ownerOf } from '../../allocation';
import type { Current } from '../../guaranteed-update';
import type { StepDependencies, WriteRequest } from '../../request';
import { bodyInfo } from '../../scale';
import type { WriteOutcome } from '../../steps/attempt';
import type { Step, StepExecution, StepName, StepRunner } from '../../steps/step';
import { change, creation, deletion, finalDeletion, type WritePlan } from '../../verbs/plan';
import { newObject, patchedObject, updatedObject } from '../../verbs/sources';
import type { Answer, Notes, OffloadedOutcome, OffloadedWrite, OffloadResult, RemoteStep, RemoteSteps, SentObject } from './messages';
import { applyChanges, shownParts, type ShownParts } from './lazy-object';
import { bufferOf, receivedEntry, sentEntry } from './transfer';

/** What a worker has of what the steps need; of admission, what rests on nothing but the object. */
export interface WorkerDependencies extends StepDependencies {
  /** The ranges with nothing taken, for a rehearsal. */
  readonly ledger: () => Ledger;
}

/** A definition that exists: the server's thread looks at the real one. */
const STANDING: Entry = { key: '', revision: 1, bytes: Buffer.from('{"metadata":{}}'), labels: {}, fields: {}, isDialectSensitive: false };
const NOTHING_KNOWN: Current = { entry: undefined, namespace: undefined, definition: STANDING, lease: undefined, proven: true };

/** The server's thread does not need the result any more. */
class Abandoned extends Error {}

export async function runOffloaded(
  deps: WorkerDependencies,
  info: ResourceInfo,
  write: OffloadedWrite,
  remote: RemoteSteps,
): Promise<OffloadResult> {
  const worker = new Worker(deps, info, write, remote);
  const outcome = await outcomeOf(() => worker.run());
  return { notes: worker.takeNotes(), outcome };
}

async function outcomeOf(run: () => Promise<OffloadedOutcome>): Promise<OffloadedOutcome> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof StatusError) return { type: 'refused', status: error.status };
    if (error instanceof Abandoned) return { type: 'abandoned' };
    throw error;
  }
}

class Worker {
  private warnings: string[] = [];
  private sent: SentObject | undefined;
  /** The object in questions that do not show it. */
  private head: JsonObject;
  private readonly current: Current;

  constructor(
    private readonly outer: WorkerDependencies,
    private readonly info: ResourceInfo,
    private readonly write: OffloadedWrite,
    private readonly remote: RemoteSteps,
  ) {
    this.head = { metadata: { name: write.name } };
    this.current = { ...NOTHING_KNOWN, entry: write.entry === undefined ? undefined : receivedEntry(write.entry) };
  }

  takeNotes(): Notes {
    const notes = { warnings: this.warnings, sent: this.sent };
    this.warnings = [];
    this.sent = undefined;
    return notes;
  }

  async run(): Promise<OffloadedOutcome> {
    const plan = await this.plan();
    if (this.write.showsObject) await this.rehearse(plan);
    const outcome = await plan(this.current, new Runner(this.outer, (step) => this.ask(step), this.shown, undefined));
    return this.serialized(outcome);
  }

  /**
   * An object that nobody accepts is not shown to the plug-ins of the server's thread, which would have to parse it: the list runs once without them. If it
   * refuses the object, they are asked about its name, and the refusal stands.
   */
  private async rehearse(plan: WritePlan): Promise<void> {
    const passed: RemoteStep[] = [];
    const before = { warnings: [...this.warnings], sent: this.sent };
    const pass = (step: RemoteStep): Promise<undefined> => Promise.resolve(void passed.push(step));
    try {
      await plan(this.current, new Runner(this.outer, pass, () => ({ object: undefined, old: undefined, head: this.head }), this.claims()));
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      for (const step of passed) if (step.step !== 'reserveQuota') await this.ask(step);
      throw error;
    }
    this.warnings = before.warnings;
    this.sent = before.sent;
  }

  private async plan(): Promise<WritePlan> {
    const { write, info, outer } = this;
    const { what, namespace, name, subresource, dryRun } = write;
    const request: WriteRequest = { context: this.context(), info, namespace, name, subresource, dryRun, options: {} };
    switch (what.verb) {
      case 'create': {
        const body = await parseObject(bufferOf(what.body.bytes), what.body.format, bodyInfo(request).row, outer.clock);
        const { source, given, base } = newObject(outer, { ...request, name: '' }, body, what.options);
        const isGenerated = given === '' && base !== '';
        const chosen = name !== '' ? name : isGenerated ? generateName(base, outer.random) : given;
        this.head = { metadata: isGenerated ? { generateName: base } : { name: chosen, generateName: base } };
        await this.ask({ step: 'decode', name: chosen, generateName: base, isGenerated });
        return creation({ ...request, name: given }, chosen, source, what.options);
      }
      case 'update': {
        const body = await parseObject(bufferOf(what.body.bytes), what.body.format, bodyInfo(request).row, outer.clock);
        return change(request, updatedObject(outer, request, body, what.options), what.options);
      }
      case 'patch': {
        const patch = { ...what.patch, bytes: bufferOf(what.patch.bytes) };
        if (write.keepsSent) this.sent = { type: 'patch', text: bounded(patchText(patch)) };
        return change(request, await patchedObject(outer, request, patch, what.options), what.options);
      }
      case 'delete':
        return deletion(request, what.options);
      case 'finalDelete':
        return finalDeletion(request, what.uid);
    }
  }

  private context(): RequestContext {
    const { user, keepsSent } = this.write;
    return {
      user,
      deadline: Infinity,
      isTurnOver: false,
      warn: (text) => void this.warnings.push(text),
      sent: (_row, metadata, object) => {
        this.sent ??= { type: 'object', metadata: placeIn(metadata), entry: keepsSent ? sentEntry(object()) : undefined };
      },
    };
  }

  private async ask(step: RemoteStep): Promise<ShownParts | undefined> {
    const answer: Answer = await this.remote.ask({ ...step, notes: this.takeNotes() });
    switch (answer.type) {
      case 'done':
        return answer.changes;
      case 'refused':
        throw statusErrorFrom(answer.status);
      case 'abandoned':
        throw new Abandoned();
    }
  }

  private readonly shown: Show = (object, old) => {
    const parts = (of: JsonObject | undefined): ShownParts | undefined =>
      this.write.showsObject && of !== undefined ? shownParts(of) : undefined;
    return { object: parts(object), old: parts(old), head: this.head };
  };

  /** Of a kind that takes something. What the stored object holds is its own. */
  private claims(): AllocationClaims {
    const ranges = this.outer.ledger();
    const { entry } = this.current;
    const { allocation } = this.info.strategy;
    if (entry !== undefined && allocation !== undefined) {
      const { object } = parseEntry(entry);
      const { uid } = ownerOf(object);
      for (const id of allocation.held(object).keys()) ranges.learn(id, { revision: entry.revision, uid }, entry.revision);
    }
    return new AllocationClaims(ranges);
  }

  private serialized(outcome: WriteOutcome): OffloadedOutcome {
    switch (outcome.type) {
      case 'unchanged':
        return { type: 'unchanged', code: outcome.code };
      case 'gone':
        return outcome;
      case 'store': {
        const { isNew, value, allocation, removal, shown } = outcome;
        const isShownOtherwise = (isNew && this.write.dryRun) || (value === undefined && removal === undefined);
        return { type: 'store', isNew, value, shown: isShownOtherwise ? sentEntry(shown(undefined)) : undefined, allocation, removal };
      }
    }
  }
}

/** The object and what it replaces, as a question shows them. */
type Shown = Pick<Extract<RemoteStep, { readonly operation: string }>, 'head' | 'object' | 'old'>;
type Show = (object?: JsonObject, old?: JsonObject) => Shown;

type Ask = (step: RemoteStep) => Promise<ShownParts | undefined>;

/** Runs one list. The steps find the questions to the server's thread where they find admission and the ledger elsewhere. */
class Runner implements StepRunner, StepExecution {
  readonly deps: StepDependencies;

  /** `claims`: in a rehearsal, what stands for the ledger. */
  constructor(
    outer: WorkerDependencies,
    private readonly ask: Ask,
    private readonly shown: Show,
    private readonly claims: AllocationClaims | undefined,
  ) {
    const admission: Admission = {
      looksInto: () => true,
      asksOthers: () => false,
      counts: () => false,
      mutate: async (request) => {
        await outer.admission.mutate(request);
        await this.changing('mutatingAdmission', request.operation, request.object, request.oldObject);
      },
      validate: async ({ operation, object, oldObject }) => {
        await this.asking('validatingAdmission', operation, shown(object, oldObject));
      },
      reserve: async ({ operation }) => {
        await this.asking('reserveQuota', operation, shown());
        return undefined;
      },
    };
    this.deps = { ...outer, admission };
  }

  run<In, Out>(name: StepName, step: Step<In, Out>, attempt: In): MaybePromise<Out> {
    if (name !== 'authorizeCreate') return step(attempt, this);
    return this.ask({ step: name }).then(() => step(attempt, this));
  }

  compute<T>(steps: Steps<T>): MaybePromise<T> {
    return runSteps(steps, NEVER_YIELDS);
  }

  async allocate(info: ResourceInfo, object: JsonObject, old: JsonObject | undefined): Promise<void> {
    if (this.claims !== undefined) allocate(info, object, old, this.claims);
    else await this.changing('allocate', old === undefined ? 'CREATE' : 'UPDATE', object, old);
  }

  onFailure(): void {
    // Whatever is reserved is reserved on the server's thread, which releases it.
  }

  private async asking(
    step: Extract<RemoteStep, { readonly operation: string }>['step'],
    operation: AdmissionOperation,
    shown: Shown,
  ): Promise<ShownParts | undefined> {
    if (operation === 'CONNECT') throw new Error('nothing is stored of a connection');
    return this.ask({ step, operation, ...shown });
  }

  private async changing(
    step: 'allocate' | 'mutatingAdmission',
    operation: AdmissionOperation,
    object: JsonObject | undefined,
    old: JsonObject | undefined,
  ): Promise<void> {
    const changes = await this.asking(step, operation, this.shown(object, old));
    if (changes !== undefined && object !== undefined) applyChanges(object, changes);
  }
}

/** Characters; the audit log records no more. */
const LONGEST_RECORD = 1024 * 1024;
const bounded = (text: string): string | undefined => (text.length > LONGEST_RECORD ? undefined : text);

const PLACE = ['namespace', 'name', 'uid', 'resourceVersion'];

const placeIn = (metadata: JsonObject): JsonObject =>
  Object.fromEntries(PLACE.map((member): [string, JsonValue] => [member, stringAt(metadata, member) ?? '']));

/** A patch as it was sent: as JSON where it is JSON, else as a text. */
function patchText({ bytes }: PatchBody): string {
  try {
    return stringifyJson(parseJson(bytes).value);
  } catch (error) {
    if (error instanceof SyntaxFault) return stringifyJson(bytes.toString());
    throw error;
  }
}
