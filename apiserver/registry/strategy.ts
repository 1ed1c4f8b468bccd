/**
 * The contract between the write path and a kind, like rest.RESTCreateStrategy, RESTUpdateStrategy and
 * RESTDeleteStrategy. It covers what the kind's row and type tables cannot express; every member is optional. Hooks
 * receive decoded objects of the storage version with defaults, and do not read the store.
 * Parameters are the object, the stored object, and the context, in this order. Members are in the order in which a
 * write uses them. Only hooks named `prepare…`, `canonicalize` and `setRequiredLabels`, and those documented to do
 * so, may change the object.
 */
import type { FieldError } from '../../shared/api/errors/field-error';
import type { UserInfo } from '../../shared/api/identity/user';
import type { GeneratedNames } from '../../shared/names/dialect';
import type { FieldSet } from '../../shared/patch/apply/field-set';
import type { FeatureGates } from '../../shared/cli/feature-gates';
import type { IpFamily } from '../../shared/values/network/ip-address';
import type { JsonObject } from '../../shared/values/json';
import type { AllocationClaims, HeldIds } from '../allocation/claims';
import type { Stages } from './stages';
import type { DeleteOptions } from './verbs';

/** The circumstances of a request that hooks may use. */
export interface StrategyContext {
  /** The spellings of names that the server itself writes. */
  readonly names: GeneratedNames;
  readonly user: UserInfo;
  /** In ms since 1970. */
  readonly now: number;
  /** IP families of the Service ranges, the default family first. */
  readonly serviceFamilies: readonly IpFamily[];
  readonly gates: Pick<FeatureGates, 'isEnabled'>;
  /** Adds a warning to the response, whether or not the object is accepted. */
  readonly warn: (text: string) => void;
}

/** The circumstances of a DELETE that hooks may use. */
export type DeletionContext = Pick<StrategyContext, 'names' | 'now'>;

/**
 * Fields that an endpoint resets to their stored values, so that its writes do not own them. Keys are subresources;
 * empty for the main endpoint.
 */
export type ResetFields = ReadonlyMap<string, FieldSet>;

/** Rules for updates through one endpoint. */
export interface UpdateRules<T extends JsonObject = JsonObject> {
  /** Resets in `object` what this endpoint must not change. Called after metadata has been carried over from `old`. */
  prepareForUpdate?(object: T, old: T, context: StrategyContext): void;
  /** Order of validation; default: `UPDATE.change`. */
  readonly stages?: Stages;
  /** Validates the change, without metadata. */
  validate?(object: T, old: T, context: StrategyContext): readonly FieldError[];
}

/** Addresses and node ports that objects of a kind allocate, in the transaction that stores the object. */
export interface AllocationRules<T extends JsonObject = JsonObject> {
  /**
   * Sets addresses and ports that the object needs but does not request, and checks those it requests. Throws a
   * StatusError.
   */
  allocate(object: T, old: T | undefined, claims: AllocationClaims): void;
  /** The ids that an object holds, stored or about to be stored. */
  allocationsOf(object: T): HeldIds;
  /** The field in the error when an object needs more ids than fit into one transaction. */
  readonly field: string;
}

/** Deletion of objects of a kind. */
export interface DeletionRules<T extends JsonObject = JsonObject> {
  /** Warnings about the options of a DELETE, for one object or a collection. */
  warnings?(options: DeleteOptions): readonly string[];
  /**
   * Graceful deletion as in rest.RESTGracefulDeleteStrategy: returns the grace period in seconds, 0 to delete at
   * once. `requested`: the grace period of the request in seconds; `undefined` when it has none.
   */
  checkGracefulDelete?(object: T, requested: number | undefined): number;
  /**
   * If set, the first DELETE only marks the object, whatever its finalizers, and later ones wait until nothing blocks
   * its removal. Called on a copy of the object after its metadata has been marked; may change it, for example its
   * phase.
   */
  prepareForDeletion?(object: T, context: DeletionContext): void;
  /**
   * The first DELETE sets only deletionTimestamp and what `prepareForDeletion` changes, not the generation or the
   * finalizers that its options request.
   */
  readonly firstDeleteOnlyMarks?: true;
  /** Whether something other than `metadata.finalizers` blocks the removal of a terminating object. */
  isRemovalBlocked?(object: T): boolean;
  /**
   * The server adds the uid of the stored object as a precondition when a DELETE has none. Admission sees it, and
   * rejections have another message.
   */
  readonly addsUidPrecondition?: true;
}

/** A stored object without the large parts of its body. */
export interface AbridgedObject {
  /** With resourceVersion, like whole objects. */
  readonly object: JsonObject;
  /** Returns the whole object, encoded. `body`: the encoded `object`, which may have been changed. */
  complete(body: string): string;
}

/** The rules of one kind. A kind without rules has an empty strategy. */
export interface Strategy<T extends JsonObject = JsonObject> {
  /**
   * Size of request body and stored object in bytes above which a write runs in a worker thread, because the rules of
   * the kind may take more than about 20 ms; 0 for every write. Absent: only the format and the number of JSON values decide.
   */
  readonly maxInlineBytes?: number | undefined;
  /** Makes two members agree that express the same thing. Called before managedFields are updated. */
  canonicalize?(object: T): void;
  /** Sets labels that the server requires. Called before managedFields are updated and again after admission. */
  setRequiredLabels?(object: T, context: StrategyContext): void;
  /** Absent when the fields follow from the kind's row: status for the main endpoint, spec for `status`. */
  readonly resetFields?: ResetFields;
  /** The kind has a status endpoint but also accepts a status on create. */
  readonly acceptsStatusOnCreate?: true;
  /**
   * Called after mutating admission and before allocation, on creates (`old` undefined) and updates through the main
   * endpoint; may set what allocation needs. If it returns errors, the request is rejected with these errors only.
   */
  prepareForAllocation?(object: T, old: T | undefined, context: StrategyContext): readonly FieldError[];
  readonly allocation?: AllocationRules<T>;
  /** Warnings about a new object as it was sent, also when it is rejected. */
  earlyWarnings?(object: T): readonly string[];
  /**
   * Sets and resets fields that clients cannot set on create. The status has been dropped before, unless
   * `acceptsStatusOnCreate` is set.
   */
  prepareForCreate?(object: T, context: StrategyContext): void;
  /**
   * Sets defaults that depend on fields set by `prepareForCreate`. Called after validation and validating admission:
   * upstream applies these defaults when it decodes the stored object, so validation does not see them on create.
   */
  applyStoredDefaults?(object: T): void;
  /** Order of validation on create; default: `CREATE.usual`. */
  readonly createStages?: Stages;
  /** Errors of a new object's name or generateName besides its format, as part of the stage `metadata`. */
  validateName?(object: T, name: string): readonly string[];
  /** The stage `early`. */
  validateEarly?(object: T, old: T | undefined, context: StrategyContext): readonly FieldError[];
  /** The stage `object`. `old`: the stored object, for rules that tolerate values stored before the rule existed. */
  validate?(object: T, old: T | undefined, context: StrategyContext): readonly FieldError[];
  /** For the main endpoint and `scale`. */
  readonly update?: UpdateRules<T>;
  readonly status?: UpdateRules<T>;
  readonly finalize?: UpdateRules<T>;
  readonly approval?: UpdateRules<T>;
  readonly ephemeralcontainers?: UpdateRules<T>;
  /** Warnings about an accepted new object. */
  warningsOnCreate?(object: T): readonly string[];
  /** Warnings about an accepted update through the main endpoint. */
  warningsOnUpdate?(object: T, old: T): readonly string[];
  readonly deletion?: DeletionRules<T>;
  /** For kinds with large objects: lets the server edit an object without parsing all of it. */
  abridge?(bytes: Buffer): AbridgedObject;
}
