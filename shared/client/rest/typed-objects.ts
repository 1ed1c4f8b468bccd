/**
 * Names for client objects of built-in kinds that several controllers read, instead of `ApiObject<…>` of a generated
 * type.
 */
import type {
  BatchV1Job,
  CoreV1ConfigMap,
  CoreV1Endpoints,
  CoreV1PersistentVolumeClaim,
  CoreV1Pod,
  CoreV1Secret,
  CoreV1Service,
  CoreV1ServiceAccount,
} from '../../api/types/generated/members';
import type { ApiObject } from './api-object';

/** A PersistentVolumeClaim. */
export type Claim = ApiObject<CoreV1PersistentVolumeClaim>;
export type ConfigMap = ApiObject<CoreV1ConfigMap>;
export type Endpoints = ApiObject<CoreV1Endpoints>;
export type Job = ApiObject<BatchV1Job>;
export type Pod = ApiObject<CoreV1Pod>;
export type Secret = ApiObject<CoreV1Secret>;
export type Service = ApiObject<CoreV1Service>;
export type ServiceAccount = ApiObject<CoreV1ServiceAccount>;
