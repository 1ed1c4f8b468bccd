/**
 * What a kind may add to the write path: the rules that its row and its type tables cannot say. All members are optional, all hooks are called with
 * decoded, defaulted objects of the stored version in canonical spelling, and none looks at the store. Parameters come in one order: the object, what
 * it is to replace, the context. Hooks are listed in the order in which a write calls them; those that begin with `prepare`, `canonicalize` and
 * `setRequiredLabels` may change the object, all others must not.
 */
import type { FieldError } from '../../shared/api/errors/field-error';
import type { UserInfo } from '../../shared/api/identity/user';
import type { GeneratedNames } from '../../shared/names/dialect';
import type { FieldSet } from '../../shared/patch/apply/field-set';
import type { FeatureGates } from '../../shared/cli/feature-gates';
import type { IpFamily } from '../../shared/values/ip-address';
import type { JsonObject } from '../../shared/values/json';
import type { AllocationClaims, Held } from '../allocation/claims';
import type { Stages } from './stages';
import type { DeleteOptions } from './verbs';

export interface StrategyContext {
  readonly names: GeneratedNames;
  /** Who makes the request. */
  readonly user: UserInfo;
  /** Since 1970. */
  readonly now: number;
  /** The families in which Services get addresses; that of Services which ask for none stands first. */
  readonly serviceFamilies: readonly IpFamily[];
  readonly gates: Pick<FeatureGates, 'isEnabled'>;
  /** Adds a warning to the response, whether the object is accepted or refused. */
  readonly warn: (text: string) => void;
}

/** What is known when an object is marked for deletion. */
export type DeletionContext = Pick<StrategyContext, 'names' | 'now'>;

/** What the endpoints of a kind leave as it is, so that nobody comes to own it there; by subresource, '' = the main endpoint. */
export type ResetFields = ReadonlyMap<string, FieldSet>;

/** Rules of updates through one endpoint. */
export interface UpdateRules<T extends JsonObject = JsonObject> {
  /** Takes back from `old` what this endpoint may not change. Metadata has been settled already. */
  prepareForUpdate?(object: T, old: T, context: StrategyContext): void;
  /** What is judged, in the order in which it is told; absent = `UPDATE.change`. */
  readonly stages?: Stages;
  /** Errors of the change; those of the metadata are not its concern. */
  validate?(object: T, old: T, context: StrategyContext): readonly FieldError[];
}

/** Addresses and ports that the objects of a kind take out of the cluster's ranges, in the transaction that stores the object. */
export interface AllocationRules<T extends JsonObject = JsonObject> {
  /** Fills in what the object needs and does not name, and checks what it names. Throws a StatusError. */
  choose(object: T, old: T | undefined, claims: AllocationClaims): void;
  /** What an object holds, old or as it is going to be stored. */
  held(object: T): Held;
  /** What is named when an object needs more of them than a transaction of the store can hold. */
  readonly field: string;
}

/** How objects of a kind go. */
export interface DeletionRules<T extends JsonObject = JsonObject> {
  /** Texts of Warning headers about the options of a DELETE, for one object or for a collection. */
  warnings?(options: DeleteOptions): readonly string[];
  /** Deletion is graceful: seconds until the object may go, 0 = at once. `asked` is what the request said. */
  checkGracefulDelete?(object: T, asked: number | undefined): number;
  /**
   * The first DELETE only marks the object, whatever its finalizers, and says so in it; later ones wait until nothing holds it back. Called on a copy of
   * the object whose metadata is marked.
   */
  prepareForDeletion?(object: T, context: DeletionContext): void;
  /** That first DELETE changes only the time and what `prepareForDeletion` does: neither the generation nor the finalizers that its options ask for. */
  readonly marksOnly?: true;
  /** Something besides `metadata.finalizers` holds a terminating object back. */
  isHeldBack?(object: T): boolean;
  /** The server itself asks that the object be the one that it has found, where a DELETE does not: admission is shown so, and refusals have other words. */
  readonly asksForFound?: true;
}

/** A stored object without parts that are most of it. */
export interface Abridged {
  /** With its resourceVersion, as whole ones have it. */
  readonly object: JsonObject;
  /** @param body the object as it is encoded, changed or not; returns it with the parts that were left out */
  complete(body: string): string;
}

export interface Strategy<T extends JsonObject = JsonObject> {
  /**
   * In bytes of what is sent and stored: a write of more is offloaded to a worker thread, because the rules of the kind may take more than some 20 ms of it; 0 = every
   * write. Absent: the number of values alone decides.
   */
  readonly mostInline?: number | undefined;
  /** Makes members agree that say the same in two ways. Before anyone is asked who owns them. */
  canonicalize?(object: T): void;
  /** Labels on which the server insists: set before ownership is recorded and again after admission. */
  setRequiredLabels?(object: T, context: StrategyContext): void;
  readonly resetFields?: ResetFields;
  /** The kind has a status endpoint and still takes a status at creation. */
  readonly keepsStatusAtCreation?: true;
  /**
   * After admission, before anything is allocated: settles what has to be clear for that, on creation (`old` undefined) and on changes through the main
   * endpoint. What it finds wrong is all that the client is told.
   */
  prepareForAllocation?(object: T, old: T | undefined, context: StrategyContext): readonly FieldError[];
  readonly allocation?: AllocationRules<T>;
  /** Texts of Warning headers about a new object as it was sent, which are said even if it is refused. */
  earlyWarnings?(object: T): readonly string[];
  /** Sets and resets what a client may not choose at creation. A status has been dropped already where `keepsStatusAtCreation` is unset. */
  prepareForCreate?(object: T, context: StrategyContext): void;
  /**
   * Sets defaults that depend on members which `prepareForCreate` has set. Called after validation and validating admission: upstream applies these defaults when it
   * decodes the stored object, so validation does not see them at creation.
   */
  completeCreated?(object: T): void;
  /** What is judged of a new object, in the order in which it is told; absent = `CREATE.usual`. */
  readonly createStages?: Stages;
  /** What is wrong with a new object's name, or with what it is to be generated from, besides its format: part of the stage `metadata`. */
  validateName?(object: T, name: string): readonly string[];
  /** The stage `early`. */
  validateEarly?(object: T, old: T | undefined, context: StrategyContext): readonly FieldError[];
  /** The stage `object`. `old` = what it is to replace, for rules that bear with what was stored before they were made. */
  validate?(object: T, old: T | undefined, context: StrategyContext): readonly FieldError[];
  /** The main endpoint, and the scale's. */
  readonly update?: UpdateRules<T>;
  readonly status?: UpdateRules<T>;
  readonly finalize?: UpdateRules<T>;
  readonly approval?: UpdateRules<T>;
  readonly ephemeralcontainers?: UpdateRules<T>;
  /** Texts of Warning headers about an object that is going to be stored as it is. */
  warningsOnCreate?(object: T): readonly string[];
  /** The same through the main endpoint. */
  warningsOnUpdate?(object: T, old: T): readonly string[];
  readonly deletion?: DeletionRules<T>;
  /** Its objects are large: what the server edits of them itself, it edits without reading the rest. */
  abridge?(bytes: Buffer): Abridged;
}
