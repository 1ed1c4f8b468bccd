/** The calls of etcd that are used: where each goes and how its messages are written. */
import {
  decodeLease,
  decodeNothing,
  decodeRange,
  decodeStatus,
  decodeTransaction,
  decodeWatch,
  encodeCompaction,
  encodeLease,
  encodeLeaseGrant,
  encodeNothing,
  encodeProbe,
  encodeRange,
  encodeTransaction,
  encodeWatch,
} from './messages';

export const range = { path: '/etcdserverpb.KV/Range', encode: encodeRange, decode: decodeRange };
export const transact = { path: '/etcdserverpb.KV/Txn', encode: encodeTransaction, decode: decodeTransaction };
export const probe = { path: '/etcdserverpb.KV/Txn', encode: encodeProbe, decode: decodeNothing };
export const compact = { path: '/etcdserverpb.KV/Compact', encode: encodeCompaction, decode: decodeNothing };
export const grantLease = { path: '/etcdserverpb.Lease/LeaseGrant', encode: encodeLeaseGrant, decode: decodeLease };
export const revokeLease = { path: '/etcdserverpb.Lease/LeaseRevoke', encode: encodeLease, decode: decodeNothing };
export const keepLeaseAlive = { path: '/etcdserverpb.Lease/LeaseKeepAlive', encode: encodeLease, decode: decodeLease };
export const status = { path: '/etcdserverpb.Maintenance/Status', encode: encodeNothing, decode: decodeStatus };
export const watching = { path: '/etcdserverpb.Watch/Watch', encode: encodeWatch, decode: decodeWatch };
