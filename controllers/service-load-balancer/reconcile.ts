/**
 * Decides what the development load balancer writes to a Service. Changes the given {@link AddressPool} and does no I/O.
 * A Service that it does not serve, or that is being deleted, is cleaned up in the cases of {@link cleanUp} and otherwise
 * not changed. Releasing all addresses of a Service is left to the caller.
 */
import type { CoreV1LoadBalancerIngress } from '../../shared/api/types/generated/members';
import { finalizersOf, isBeingDeleted } from '../../shared/client/rest/api-object';
import type { Service } from '../../shared/client/rest/typed-objects';
import { canonicalQualifiedName } from '../../shared/names/dialect';
import type { IpFamily } from '../../shared/values/network/ip-address';
import type { AddressPool } from './address-pool';

/** Canonical names; objects may have the other spelling. */
const DEVELOPMENT_CLASS = 'platform.io/development';
const CLEANUP_FINALIZER = 'service.platform.io/load-balancer-cleanup';

/** Which Services are served, and how they are marked. */
export interface LoadBalancerRules {
  /** The finalizer in the spelling to write. */
  readonly finalizer: string;
  /** Services without a class get an address too. */
  readonly servesDefaultClass: boolean;
}

/** The members that change together, in one write. */
export interface ServiceUpdate {
  readonly finalizers: readonly string[];
  readonly addresses: readonly string[];
}

/** What is written to a Service, and what happens to its addresses in the pool. `update`: the members after the write. */
export type ServiceAction =
  /**
   * With `needsAddress` the pool holds the Service's addresses, and those of families that the Service does not have any
   * more are released. Without it the pool is unchanged, and the caller releases all addresses.
   */
  | { readonly type: 'none'; readonly needsAddress: boolean }
  /** As for `none` with `needsAddress`; missing addresses are allocated. */
  | { readonly type: 'ensure'; readonly update: ServiceUpdate }
  /** The pool is unchanged; the caller releases all addresses after the write. */
  | { readonly type: 'clean-up'; readonly update: ServiceUpdate }
  /**
   * The pool is unchanged, and the Service keeps the addresses that it holds. `families`: at least one of them has no free
   * address; empty when the Service has no family with a range.
   */
  | { readonly type: 'unavailable'; readonly problem: string; readonly families: readonly IpFamily[] };

/** Decides one sync, and changes `pool` as {@link ServiceAction} states. */
export function reconcileService(service: Service, pool: AddressPool, rules: LoadBalancerRules): ServiceAction {
  return isServed(service, rules) && !isBeingDeleted(service) ? ensure(service, pool, rules) : cleanUp(service, pool, rules);
}

/** Whether the Service wants its load balancer from this controller. */
export function isServed({ body: { spec } }: Service, { servesDefaultClass }: Pick<LoadBalancerRules, 'servesDefaultClass'>): boolean {
  if (spec?.type !== 'LoadBalancer') return false;
  const { loadBalancerClass } = spec;
  return loadBalancerClass === undefined ? servesDefaultClass : canonicalQualifiedName(loadBalancerClass) === DEVELOPMENT_CLASS;
}

const ingressOf = ({ body: { status } }: Service): readonly CoreV1LoadBalancerIngress[] => status?.loadBalancer?.ingress ?? [];

/** The IP addresses in `status.loadBalancer`; entries with a host name only are left out. */
export function addressesOf(service: Service): readonly string[] {
  return ingressOf(service)
    .map(({ ip = '' }) => ip)
    .filter((ip) => ip !== '');
}

/** The Service gets one address of each of its families that has a range. */
function ensure(service: Service, pool: AddressPool, { finalizer }: LoadBalancerRules): ServiceAction {
  const { ipFamilies = [] } = service.body.spec ?? {};
  const families = pool.servedFamilies(ipFamilies);
  if (families.length === 0) return { type: 'unavailable', problem: `no address range for ${ipFamilies.join(' or ')}`, families };
  const addresses = pool.acquire(service.uid, families);
  if (addresses === undefined) return { type: 'unavailable', problem: 'no free address', families };
  const ingress = ingressOf(service);
  const isWritten = ingress.length === addresses.length && addresses.every((address, index) => ingress[index]?.ip === address);
  if (isWritten && hasFinalizer(service)) return { type: 'none', needsAddress: true };
  const finalizers = finalizersOf(service);
  return { type: 'ensure', update: { addresses, finalizers: hasFinalizer(service) ? finalizers : [...finalizers, finalizer] } };
}

/**
 * Removes the finalizer and the addresses from a Service that has the finalizer, in four cases: this controller serves
 * the Service, the status has an address of the ranges, the pool holds addresses for it, or nothing shows another load
 * balancer.
 */
function cleanUp(service: Service, pool: AddressPool, rules: LoadBalancerRules): ServiceAction {
  const hasOwnAddress = addressesOf(service).some((address) => pool.contains(address));
  // No class and no address: nothing shows another load balancer. A Service of another type has no class.
  const hasNoOtherLoadBalancer = service.body.spec?.type !== 'LoadBalancer' && ingressOf(service).length === 0;
  const isOwn = isServed(service, rules) || hasOwnAddress || pool.holds(service.uid) || hasNoOtherLoadBalancer;
  if (!hasFinalizer(service) || !isOwn) return { type: 'none', needsAddress: false };
  const finalizers = finalizersOf(service).filter((name) => !isCleanupFinalizer(name));
  return { type: 'clean-up', update: { addresses: [], finalizers } };
}

const isCleanupFinalizer = (name: string): boolean => canonicalQualifiedName(name) === CLEANUP_FINALIZER;

const hasFinalizer = (service: Service): boolean => finalizersOf(service).some(isCleanupFinalizer);
