/**
 * What the package exports as `cluster-control-plane/client`: the client library that the control plane's own
 * controllers use.
 */
export { openClient, type ClientOptions, type OpenClient } from './open-client';
export { ApiError, isAlreadyExists, isConflict, isNotFound } from '../../shared/client/rest/api-error';
export { apiObject, finalizersOf, isBeingDeleted, keyOf, type ApiObject } from '../../shared/client/rest/api-object';
export { metadataOf, resourceOf, type PartialObjectMetadata, type Resource } from '../../shared/client/rest/resource';
export type { AllNamespacesClient, ObjectClient } from '../../shared/client/rest/resource-client';
export type { RestClient } from '../../shared/client/rest/rest-client';
export type { MergePatch } from '../../shared/client/rest/request-options';
export type { Informer } from '../../shared/client/informer/informer';
export type { Handlers } from '../../shared/client/informer/notifications';
export { DONE, type WorkOutcome } from '../../shared/client/work-queue/workers';
export type { WorkQueue } from '../../shared/client/work-queue/work-queue';
export type * from '../../shared/api/types/generated/members';
