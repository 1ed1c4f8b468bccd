/**
 * Allocation as a step of a write: when an object's strategy takes addresses and ports, where the keys that stand for them join the object's
 * transaction, and when what was chosen is let go again. What is taken and why is the strategy's and the claims' business.
 */
import { tooMany } from '../../../shared/api/errors/field-error';
import type { JsonObject } from '../../../shared/values/json';
import { readMetadata } from '../../../shared/api/metadata/object-meta';
import { stringAt } from '../../../shared/values/json';
import { invalid } from '../../../shared/api/errors/status';
import type { AllocationClaims, Held, KeyWrite } from '../../allocation/claims';
import type { AllocationOwner } from '../../allocation/ledger';
import type { Revision } from '../../storage/store';
import type { ResourceInfo } from '../object/resource-info';
import type { AttemptPath, WritePath, WriteRequest } from './request';

const NOTHING: Held = new Map();
const NO_WRITES: readonly KeyWrite[] = [];
/** The object and its guards. */
const OTHER_KEYS = 3;

/** What a step has beside the object itself. */
interface Alongside<R> {
  readonly alongside: readonly KeyWrite[];
  readonly finish: (revision: Revision | undefined) => R;
}

/** Runs a request over all its attempts. */
export async function withClaims<R>(
  path: WritePath,
  request: WriteRequest,
  run: (claims: AllocationClaims | undefined) => Promise<R>,
): Promise<R> {
  const claims = path.claimsFor(request);
  try {
    return await run(claims);
  } finally {
    claims?.close(request.dryRun);
  }
}

/** Chooses and checks what the object takes. Throws a StatusError. */
export function allocate(info: ResourceInfo, object: JsonObject, old: JsonObject | undefined, claims: AllocationClaims | undefined): void {
  const { allocation } = info.strategy;
  if (allocation === undefined || claims === undefined) return;
  claims.begin(ownerOf(object));
  allocation.choose(object, old, claims);
}

/** `revision` undefined = a dry run, which takes nothing. The part of a step that the change from `old` to `object` has beside the object itself. Throws a 422 StatusError. */
export function accompany<R>(
  { store }: Pick<AttemptPath, 'store'>,
  info: ResourceInfo,
  old: JsonObject | undefined,
  object: JsonObject | undefined,
  claims: AllocationClaims | undefined,
  finish: (revision: Revision | undefined) => R,
): Alongside<R> {
  const { allocation } = info.strategy;
  if (allocation === undefined || claims === undefined) return { alongside: NO_WRITES, finish };
  const held = (state: JsonObject | undefined): Held => (state === undefined ? NOTHING : allocation.held(state));
  if (object === undefined && old !== undefined) claims.begin(ownerOf(old));
  const alongside = claims.changes(held(old), held(object));
  return joining(store, info, claims, alongside, stringAt(readMetadata(object ?? old ?? {}), 'name') ?? '', finish);
}

/** The part of a step in which an object goes that was worked out elsewhere. */
export function release<R>(
  { store }: Pick<AttemptPath, 'store'>,
  info: ResourceInfo,
  owner: AllocationOwner,
  held: Held,
  claims: AllocationClaims | undefined,
  finish: (revision: Revision | undefined) => R,
): Alongside<R> {
  if (claims === undefined) return { alongside: NO_WRITES, finish };
  claims.begin(owner);
  return joining(store, info, claims, claims.changes(held, NOTHING), owner.name, finish);
}

function joining<R>(
  { maxOperations }: AttemptPath['store'],
  { group, kind, strategy }: ResourceInfo,
  claims: AllocationClaims,
  alongside: readonly KeyWrite[],
  name: string,
  finish: (revision: Revision | undefined) => R,
): Alongside<R> {
  const most = maxOperations - OTHER_KEYS;
  if (alongside.length > most) throw invalid({ group, kind }, name, [tooMany(strategy.allocation?.field ?? '', alongside.length, most)]);
  return {
    alongside,
    finish(revision) {
      if (revision !== undefined) claims.committed(alongside, revision);
      return finish(revision);
    },
  };
}

export function ownerOf(object: JsonObject): AllocationOwner {
  const metadata = readMetadata(object);
  const text = (member: string): string => stringAt(metadata, member) ?? '';
  return { namespace: text('namespace'), name: text('name'), uid: text('uid') };
}
