/**
 * The etcd RPC methods that the store uses: their paths, with the encoder of the request and the decoder of the
 * response. How they are called is up to transport.ts.
 */
import {
  encodeCompaction,
  encodeEmpty,
  encodeLeaseGrant,
  encodeLeaseRequest,
  encodeRange,
  encodeReadOnlyTransaction,
  encodeTransaction,
  encodeWatch,
} from './requests';
import { decodeLeaseResponse, decodeRange, decodeStatus, decodeTransaction, decodeWatch, ignoreResponse } from './responses';

/** Reads a key or a range, or counts its keys. */
export const range = { path: '/etcdserverpb.KV/Range', encode: encodeRange, decode: decodeRange };
/** Applies operations if conditions hold. */
export const transact = { path: '/etcdserverpb.KV/Txn', encode: encodeTransaction, decode: decodeTransaction };
/** A transaction of reads only, which the server refuses when it exceeds its limit of operations. */
export const probeTransactionSize = { path: '/etcdserverpb.KV/Txn', encode: encodeReadOnlyTransaction, decode: ignoreResponse };
/** Discards history. */
export const compact = { path: '/etcdserverpb.KV/Compact', encode: encodeCompaction, decode: ignoreResponse };
/** Creates a lease. */
export const grantLease = { path: '/etcdserverpb.Lease/LeaseGrant', encode: encodeLeaseGrant, decode: decodeLeaseResponse };
/** Ends a lease and deletes its keys. */
export const revokeLease = { path: '/etcdserverpb.Lease/LeaseRevoke', encode: encodeLeaseRequest, decode: ignoreResponse };
/** Renews a lease; called as a unary method although etcd defines it as a stream. */
export const keepLeaseAlive = { path: '/etcdserverpb.Lease/LeaseKeepAlive', encode: encodeLeaseRequest, decode: decodeLeaseResponse };
/** The version and the state of one member. */
export const status = { path: '/etcdserverpb.Maintenance/Status', encode: encodeEmpty, decode: decodeStatus };
/** Streams events; only used with `Channel.stream`. */
export const watch = { path: '/etcdserverpb.Watch/Watch', encode: encodeWatch, decode: decodeWatch };
