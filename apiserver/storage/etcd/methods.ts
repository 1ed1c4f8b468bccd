/** The etcd RPC methods that the store uses, with their codecs. How they are called is up to transport.ts. */
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

export const range = { path: '/etcdserverpb.KV/Range', encode: encodeRange, decode: decodeRange };
export const transact = { path: '/etcdserverpb.KV/Txn', encode: encodeTransaction, decode: decodeTransaction };
export const probeTransactionSize = { path: '/etcdserverpb.KV/Txn', encode: encodeReadOnlyTransaction, decode: ignoreResponse };
export const compact = { path: '/etcdserverpb.KV/Compact', encode: encodeCompaction, decode: ignoreResponse };
export const grantLease = { path: '/etcdserverpb.Lease/LeaseGrant', encode: encodeLeaseGrant, decode: decodeLeaseResponse };
export const revokeLease = { path: '/etcdserverpb.Lease/LeaseRevoke', encode: encodeLeaseRequest, decode: ignoreResponse };
export const keepLeaseAlive = { path: '/etcdserverpb.Lease/LeaseKeepAlive', encode: encodeLeaseRequest, decode: decodeLeaseResponse };
export const status = { path: '/etcdserverpb.Maintenance/Status', encode: encodeEmpty, decode: decodeStatus };
export const watch = { path: '/etcdserverpb.Watch/Watch', encode: encodeWatch, decode: decodeWatch };
