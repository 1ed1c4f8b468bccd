/** What decoded objects look like, generated from the type tables: `npm run generate`. Integers beyond 2^53 are `bigint`. */
import type { JsonValue } from '../../../values/json';

export type AdmissionregistrationV1AuditAnnotation = {
  key?: string;
  valueExpression?: string;
};

export type AdmissionregistrationV1ExpressionWarning = {
  fieldRef?: string;
  warning?: string;
};

export type AdmissionregistrationV1MatchCondition = {
  name?: string;
  expression?: string;
};

export type AdmissionregistrationV1MatchResources = {
  namespaceSelector?: MetaV1LabelSelector;
  objectSelector?: MetaV1LabelSelector;
  resourceRules?: AdmissionregistrationV1NamedRuleWithOperations[];
  excludeResourceRules?: AdmissionregistrationV1NamedRuleWithOperations[];
  matchPolicy?: string;
};

export type AdmissionregistrationV1MutatingWebhook = {
  name?: string;
  clientConfig?: AdmissionregistrationV1WebhookClientConfig;
  rules?: AdmissionregistrationV1RuleWithOperations[];
  failurePolicy?: string;
  matchPolicy?: string;
  namespaceSelector?: MetaV1LabelSelector;
  objectSelector?: MetaV1LabelSelector;
  sideEffects?: string | null;
  timeoutSeconds?: number;
  admissionReviewVersions?: string[] | null;
  reinvocationPolicy?: string;
  matchConditions?: AdmissionregistrationV1MatchCondition[];
};

export type AdmissionregistrationV1MutatingWebhookConfiguration = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  webhooks?: AdmissionregistrationV1MutatingWebhook[];
};

export type AdmissionregistrationV1MutatingWebhookConfigurationList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: AdmissionregistrationV1MutatingWebhookConfiguration[] | null;
};

export type AdmissionregistrationV1NamedRuleWithOperations = {
  resourceNames?: string[];
  operations?: string[];
  apiGroups?: string[];
  apiVersions?: string[];
  resources?: string[];
  scope?: string;
};

export type AdmissionregistrationV1ParamKind = {
  apiVersion?: string;
  kind?: string;
};

export type AdmissionregistrationV1ParamRef = {
  name?: string;
  namespace?: string;
  selector?: MetaV1LabelSelector;
  parameterNotFoundAction?: string;
};

export type AdmissionregistrationV1Rule = {
  apiGroups?: string[];
  apiVersions?: string[];
  resources?: string[];
  scope?: string;
};

export type AdmissionregistrationV1RuleWithOperations = {
  operations?: string[];
  apiGroups?: string[];
  apiVersions?: string[];
  resources?: string[];
  scope?: string;
};

export type AdmissionregistrationV1ServiceReference = {
  namespace?: string;
  name?: string;
  path?: string;
  port?: number;
};

export type AdmissionregistrationV1TypeChecking = {
  expressionWarnings?: AdmissionregistrationV1ExpressionWarning[];
};

export type AdmissionregistrationV1ValidatingAdmissionPolicy = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: AdmissionregistrationV1ValidatingAdmissionPolicySpec;
  status?: AdmissionregistrationV1ValidatingAdmissionPolicyStatus;
};

export type AdmissionregistrationV1ValidatingAdmissionPolicyBinding = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: AdmissionregistrationV1ValidatingAdmissionPolicyBindingSpec;
};

export type AdmissionregistrationV1ValidatingAdmissionPolicyBindingList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: AdmissionregistrationV1ValidatingAdmissionPolicyBinding[] | null;
};

export type AdmissionregistrationV1ValidatingAdmissionPolicyBindingSpec = {
  policyName?: string;
  paramRef?: AdmissionregistrationV1ParamRef;
  matchResources?: AdmissionregistrationV1MatchResources;
  validationActions?: string[];
};

export type AdmissionregistrationV1ValidatingAdmissionPolicyList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: AdmissionregistrationV1ValidatingAdmissionPolicy[] | null;
};

export type AdmissionregistrationV1ValidatingAdmissionPolicySpec = {
  paramKind?: AdmissionregistrationV1ParamKind;
  matchConstraints?: AdmissionregistrationV1MatchResources;
  validations?: AdmissionregistrationV1Validation[];
  failurePolicy?: string;
  auditAnnotations?: AdmissionregistrationV1AuditAnnotation[];
  matchConditions?: AdmissionregistrationV1MatchCondition[];
  variables?: AdmissionregistrationV1Variable[];
};

export type AdmissionregistrationV1ValidatingAdmissionPolicyStatus = {
  observedGeneration?: number | bigint;
  typeChecking?: AdmissionregistrationV1TypeChecking;
  conditions?: MetaV1Condition[];
};

export type AdmissionregistrationV1ValidatingWebhook = {
  name?: string;
  clientConfig?: AdmissionregistrationV1WebhookClientConfig;
  rules?: AdmissionregistrationV1RuleWithOperations[];
  failurePolicy?: string;
  matchPolicy?: string;
  namespaceSelector?: MetaV1LabelSelector;
  objectSelector?: MetaV1LabelSelector;
  sideEffects?: string | null;
  timeoutSeconds?: number;
  admissionReviewVersions?: string[] | null;
  matchConditions?: AdmissionregistrationV1MatchCondition[];
};

export type AdmissionregistrationV1ValidatingWebhookConfiguration = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  webhooks?: AdmissionregistrationV1ValidatingWebhook[];
};

export type AdmissionregistrationV1ValidatingWebhookConfigurationList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: AdmissionregistrationV1ValidatingWebhookConfiguration[] | null;
};

export type AdmissionregistrationV1Validation = {
  expression?: string;
  message?: string;
  reason?: string;
  messageExpression?: string;
};

export type AdmissionregistrationV1Variable = {
  name?: string;
  expression?: string;
};

export type AdmissionregistrationV1WebhookClientConfig = {
  url?: string;
  service?: AdmissionregistrationV1ServiceReference;
  caBundle?: string;
};

export type AdmissionregistrationV1alpha1AuditAnnotation = {
  key?: string;
  valueExpression?: string;
};

export type AdmissionregistrationV1alpha1ExpressionWarning = {
  fieldRef?: string;
  warning?: string;
};

export type AdmissionregistrationV1alpha1MatchCondition = {
  name?: string;
  expression?: string;
};

export type AdmissionregistrationV1alpha1MatchResources = {
  namespaceSelector?: MetaV1LabelSelector;
  objectSelector?: MetaV1LabelSelector;
  resourceRules?: AdmissionregistrationV1alpha1NamedRuleWithOperations[];
  excludeResourceRules?: AdmissionregistrationV1alpha1NamedRuleWithOperations[];
  matchPolicy?: string;
};

export type AdmissionregistrationV1alpha1NamedRuleWithOperations = {
  resourceNames?: string[];
  operations?: string[];
  apiGroups?: string[];
  apiVersions?: string[];
  resources?: string[];
  scope?: string;
};

export type AdmissionregistrationV1alpha1ParamKind = {
  apiVersion?: string;
  kind?: string;
};

export type AdmissionregistrationV1alpha1ParamRef = {
  name?: string;
  namespace?: string;
  selector?: MetaV1LabelSelector;
  parameterNotFoundAction?: string;
};

export type AdmissionregistrationV1alpha1TypeChecking = {
  expressionWarnings?: AdmissionregistrationV1alpha1ExpressionWarning[];
};

export type AdmissionregistrationV1alpha1ValidatingAdmissionPolicy = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: AdmissionregistrationV1alpha1ValidatingAdmissionPolicySpec;
  status?: AdmissionregistrationV1alpha1ValidatingAdmissionPolicyStatus;
};

export type AdmissionregistrationV1alpha1ValidatingAdmissionPolicyBinding = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: AdmissionregistrationV1alpha1ValidatingAdmissionPolicyBindingSpec;
};

export type AdmissionregistrationV1alpha1ValidatingAdmissionPolicyBindingList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: AdmissionregistrationV1alpha1ValidatingAdmissionPolicyBinding[] | null;
};

export type AdmissionregistrationV1alpha1ValidatingAdmissionPolicyBindingSpec = {
  policyName?: string;
  paramRef?: AdmissionregistrationV1alpha1ParamRef;
  matchResources?: AdmissionregistrationV1alpha1MatchResources;
  validationActions?: string[];
};

export type AdmissionregistrationV1alpha1ValidatingAdmissionPolicyList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: AdmissionregistrationV1alpha1ValidatingAdmissionPolicy[] | null;
};

export type AdmissionregistrationV1alpha1ValidatingAdmissionPolicySpec = {
  paramKind?: AdmissionregistrationV1alpha1ParamKind;
  matchConstraints?: AdmissionregistrationV1alpha1MatchResources;
  validations?: AdmissionregistrationV1alpha1Validation[];
  failurePolicy?: string;
  auditAnnotations?: AdmissionregistrationV1alpha1AuditAnnotation[];
  matchConditions?: AdmissionregistrationV1alpha1MatchCondition[];
  variables?: AdmissionregistrationV1alpha1Variable[];
};

export type AdmissionregistrationV1alpha1ValidatingAdmissionPolicyStatus = {
  observedGeneration?: number | bigint;
  typeChecking?: AdmissionregistrationV1alpha1TypeChecking;
  conditions?: MetaV1Condition[];
};

export type AdmissionregistrationV1alpha1Validation = {
  expression?: string;
  message?: string;
  reason?: string;
  messageExpression?: string;
};

export type AdmissionregistrationV1alpha1Variable = {
  name?: string;
  expression?: string;
};

export type AdmissionregistrationV1beta1AuditAnnotation = {
  key?: string;
  valueExpression?: string;
};

export type AdmissionregistrationV1beta1ExpressionWarning = {
  fieldRef?: string;
  warning?: string;
};

export type AdmissionregistrationV1beta1MatchCondition = {
  name?: string;
  expression?: string;
};

export type AdmissionregistrationV1beta1MatchResources = {
  namespaceSelector?: MetaV1LabelSelector;
  objectSelector?: MetaV1LabelSelector;
  resourceRules?: AdmissionregistrationV1beta1NamedRuleWithOperations[];
  excludeResourceRules?: AdmissionregistrationV1beta1NamedRuleWithOperations[];
  matchPolicy?: string;
};

export type AdmissionregistrationV1beta1NamedRuleWithOperations = {
  resourceNames?: string[];
  operations?: string[];
  apiGroups?: string[];
  apiVersions?: string[];
  resources?: string[];
  scope?: string;
};

export type AdmissionregistrationV1beta1ParamKind = {
  apiVersion?: string;
  kind?: string;
};

export type AdmissionregistrationV1beta1ParamRef = {
  name?: string;
  namespace?: string;
  selector?: MetaV1LabelSelector;
  parameterNotFoundAction?: string;
};

export type AdmissionregistrationV1beta1TypeChecking = {
  expressionWarnings?: AdmissionregistrationV1beta1ExpressionWarning[];
};

export type AdmissionregistrationV1beta1ValidatingAdmissionPolicy = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: AdmissionregistrationV1beta1ValidatingAdmissionPolicySpec;
  status?: AdmissionregistrationV1beta1ValidatingAdmissionPolicyStatus;
};

export type AdmissionregistrationV1beta1ValidatingAdmissionPolicyBinding = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: AdmissionregistrationV1beta1ValidatingAdmissionPolicyBindingSpec;
};

export type AdmissionregistrationV1beta1ValidatingAdmissionPolicyBindingList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: AdmissionregistrationV1beta1ValidatingAdmissionPolicyBinding[] | null;
};

export type AdmissionregistrationV1beta1ValidatingAdmissionPolicyBindingSpec = {
  policyName?: string;
  paramRef?: AdmissionregistrationV1beta1ParamRef;
  matchResources?: AdmissionregistrationV1beta1MatchResources;
  validationActions?: string[];
};

export type AdmissionregistrationV1beta1ValidatingAdmissionPolicyList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: AdmissionregistrationV1beta1ValidatingAdmissionPolicy[] | null;
};

export type AdmissionregistrationV1beta1ValidatingAdmissionPolicySpec = {
  paramKind?: AdmissionregistrationV1beta1ParamKind;
  matchConstraints?: AdmissionregistrationV1beta1MatchResources;
  validations?: AdmissionregistrationV1beta1Validation[];
  failurePolicy?: string;
  auditAnnotations?: AdmissionregistrationV1beta1AuditAnnotation[];
  matchConditions?: AdmissionregistrationV1beta1MatchCondition[];
  variables?: AdmissionregistrationV1beta1Variable[];
};

export type AdmissionregistrationV1beta1ValidatingAdmissionPolicyStatus = {
  observedGeneration?: number | bigint;
  typeChecking?: AdmissionregistrationV1beta1TypeChecking;
  conditions?: MetaV1Condition[];
};

export type AdmissionregistrationV1beta1Validation = {
  expression?: string;
  message?: string;
  reason?: string;
  messageExpression?: string;
};

export type AdmissionregistrationV1beta1Variable = {
  name?: string;
  expression?: string;
};

export type ApiextensionsV1CustomResourceColumnDefinition = {
  name?: string;
  type?: string;
  format?: string;
  description?: string;
  priority?: number;
  jsonPath?: string;
};

export type ApiextensionsV1CustomResourceConversion = {
  strategy?: string;
  webhook?: ApiextensionsV1WebhookConversion;
};

export type ApiextensionsV1CustomResourceDefinition = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: ApiextensionsV1CustomResourceDefinitionSpec;
  status?: ApiextensionsV1CustomResourceDefinitionStatus;
};

export type ApiextensionsV1CustomResourceDefinitionCondition = {
  type?: string;
  status?: string;
  lastTransitionTime?: string | null;
  reason?: string;
  message?: string;
};

export type ApiextensionsV1CustomResourceDefinitionList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: ApiextensionsV1CustomResourceDefinition[] | null;
};

export type ApiextensionsV1CustomResourceDefinitionNames = {
  plural?: string;
  singular?: string;
  shortNames?: string[];
  kind?: string;
  listKind?: string;
  categories?: string[];
};

export type ApiextensionsV1CustomResourceDefinitionSpec = {
  group?: string;
  names?: ApiextensionsV1CustomResourceDefinitionNames;
  scope?: string;
  versions?: ApiextensionsV1CustomResourceDefinitionVersion[] | null;
  conversion?: ApiextensionsV1CustomResourceConversion;
  preserveUnknownFields?: boolean;
};

export type ApiextensionsV1CustomResourceDefinitionStatus = {
  conditions?: ApiextensionsV1CustomResourceDefinitionCondition[] | null;
  acceptedNames?: ApiextensionsV1CustomResourceDefinitionNames;
  storedVersions?: string[] | null;
};

export type ApiextensionsV1CustomResourceDefinitionVersion = {
  name?: string;
  served?: boolean;
  storage?: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  schema?: ApiextensionsV1CustomResourceValidation;
  subresources?: ApiextensionsV1CustomResourceSubresources;
  additionalPrinterColumns?: ApiextensionsV1CustomResourceColumnDefinition[];
  selectableFields?: ApiextensionsV1SelectableField[];
};

export type ApiextensionsV1CustomResourceSubresourceScale = {
  specReplicasPath?: string;
  statusReplicasPath?: string;
  labelSelectorPath?: string;
};

export type ApiextensionsV1CustomResourceSubresourceStatus = Record<string, never>;

export type ApiextensionsV1CustomResourceSubresources = {
  status?: ApiextensionsV1CustomResourceSubresourceStatus;
  scale?: ApiextensionsV1CustomResourceSubresourceScale;
};

export type ApiextensionsV1CustomResourceValidation = {
  openAPIV3Schema?: ApiextensionsV1JSONSchemaProps;
};

export type ApiextensionsV1ExternalDocumentation = {
  description?: string;
  url?: string;
};

export type ApiextensionsV1JSONSchemaProps = {
  id?: string;
  $schema?: string;
  $ref?: string;
  description?: string;
  type?: string;
  format?: string;
  title?: string;
  default?: JsonValue;
  maximum?: number;
  exclusiveMaximum?: boolean;
  minimum?: number;
  exclusiveMinimum?: boolean;
  maxLength?: number | bigint;
  minLength?: number | bigint;
  pattern?: string;
  maxItems?: number | bigint;
  minItems?: number | bigint;
  uniqueItems?: boolean;
  multipleOf?: number;
  enum?: JsonValue[];
  maxProperties?: number | bigint;
  minProperties?: number | bigint;
  required?: string[];
  items?: ApiextensionsV1JSONSchemaProps | ApiextensionsV1JSONSchemaProps[];
  allOf?: ApiextensionsV1JSONSchemaProps[];
  oneOf?: ApiextensionsV1JSONSchemaProps[];
  anyOf?: ApiextensionsV1JSONSchemaProps[];
  not?: ApiextensionsV1JSONSchemaProps;
  properties?: Record<string, ApiextensionsV1JSONSchemaProps>;
  additionalProperties?: ApiextensionsV1JSONSchemaProps | boolean;
  patternProperties?: Record<string, ApiextensionsV1JSONSchemaProps>;
  dependencies?: Record<string, ApiextensionsV1JSONSchemaProps | string[] | null>;
  additionalItems?: ApiextensionsV1JSONSchemaProps | boolean;
  definitions?: Record<string, ApiextensionsV1JSONSchemaProps>;
  externalDocs?: ApiextensionsV1ExternalDocumentation;
  example?: JsonValue;
  nullable?: boolean;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-embedded-resource'?: boolean;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-list-type'?: string;
  'x-kubernetes-map-type'?: string;
  'x-kubernetes-validations'?: ApiextensionsV1ValidationRule[];
};

export type ApiextensionsV1SelectableField = {
  jsonPath?: string;
};

export type ApiextensionsV1ServiceReference = {
  namespace?: string;
  name?: string;
  path?: string;
  port?: number;
};

export type ApiextensionsV1ValidationRule = {
  rule?: string;
  message?: string;
  messageExpression?: string;
  reason?: string;
  fieldPath?: string;
  optionalOldSelf?: boolean;
};

export type ApiextensionsV1WebhookClientConfig = {
  url?: string;
  service?: ApiextensionsV1ServiceReference;
  caBundle?: string;
};

export type ApiextensionsV1WebhookConversion = {
  clientConfig?: ApiextensionsV1WebhookClientConfig;
  conversionReviewVersions?: string[] | null;
};

export type ApiregistrationV1APIService = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: ApiregistrationV1APIServiceSpec;
  status?: ApiregistrationV1APIServiceStatus;
};

export type ApiregistrationV1APIServiceCondition = {
  type?: string;
  status?: string;
  lastTransitionTime?: string | null;
  reason?: string;
  message?: string;
};

export type ApiregistrationV1APIServiceList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: ApiregistrationV1APIService[] | null;
};

export type ApiregistrationV1APIServiceSpec = {
  service?: ApiregistrationV1ServiceReference;
  group?: string;
  version?: string;
  insecureSkipTLSVerify?: boolean;
  caBundle?: string;
  groupPriorityMinimum?: number;
  versionPriority?: number;
};

export type ApiregistrationV1APIServiceStatus = {
  conditions?: ApiregistrationV1APIServiceCondition[];
};

export type ApiregistrationV1ServiceReference = {
  namespace?: string;
  name?: string;
  port?: number;
};

export type ApiserverinternalV1alpha1ServerStorageVersion = {
  apiServerID?: string;
  encodingVersion?: string;
  decodableVersions?: string[];
  servedVersions?: string[];
};

export type ApiserverinternalV1alpha1StorageVersion = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: ApiserverinternalV1alpha1StorageVersionSpec;
  status?: ApiserverinternalV1alpha1StorageVersionStatus;
};

export type ApiserverinternalV1alpha1StorageVersionCondition = {
  type?: string;
  status?: string;
  observedGeneration?: number | bigint;
  lastTransitionTime?: string | null;
  reason?: string;
  message?: string;
};

export type ApiserverinternalV1alpha1StorageVersionList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: ApiserverinternalV1alpha1StorageVersion[] | null;
};

export type ApiserverinternalV1alpha1StorageVersionSpec = Record<string, never>;

export type ApiserverinternalV1alpha1StorageVersionStatus = {
  storageVersions?: ApiserverinternalV1alpha1ServerStorageVersion[];
  commonEncodingVersion?: string;
  conditions?: ApiserverinternalV1alpha1StorageVersionCondition[];
};

export type AppsV1ControllerRevision = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  data?: JsonValue;
  revision?: number | bigint;
};

export type AppsV1ControllerRevisionList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: AppsV1ControllerRevision[] | null;
};

export type AppsV1DaemonSet = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: AppsV1DaemonSetSpec;
  status?: AppsV1DaemonSetStatus;
};

export type AppsV1DaemonSetCondition = {
  type?: string;
  status?: string;
  lastTransitionTime?: string | null;
  reason?: string;
  message?: string;
};

export type AppsV1DaemonSetList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: AppsV1DaemonSet[] | null;
};

export type AppsV1DaemonSetSpec = {
  selector?: MetaV1LabelSelector | null;
  template?: CoreV1PodTemplateSpec;
  updateStrategy?: AppsV1DaemonSetUpdateStrategy;
  minReadySeconds?: number;
  revisionHistoryLimit?: number;
};

export type AppsV1DaemonSetStatus = {
  currentNumberScheduled?: number;
  numberMisscheduled?: number;
  desiredNumberScheduled?: number;
  numberReady?: number;
  observedGeneration?: number | bigint;
  updatedNumberScheduled?: number;
  numberAvailable?: number;
  numberUnavailable?: number;
  collisionCount?: number;
  conditions?: AppsV1DaemonSetCondition[];
};

export type AppsV1DaemonSetUpdateStrategy = {
  type?: string;
  rollingUpdate?: AppsV1RollingUpdateDaemonSet;
};

export type AppsV1Deployment = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: AppsV1DeploymentSpec;
  status?: AppsV1DeploymentStatus;
};

export type AppsV1DeploymentCondition = {
  type?: string;
  status?: string;
  lastUpdateTime?: string | null;
  lastTransitionTime?: string | null;
  reason?: string;
  message?: string;
};

export type AppsV1DeploymentList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: AppsV1Deployment[] | null;
};

export type AppsV1DeploymentSpec = {
  replicas?: number;
  selector?: MetaV1LabelSelector | null;
  template?: CoreV1PodTemplateSpec;
  strategy?: AppsV1DeploymentStrategy;
  minReadySeconds?: number;
  revisionHistoryLimit?: number;
  paused?: boolean;
  progressDeadlineSeconds?: number;
};

export type AppsV1DeploymentStatus = {
  observedGeneration?: number | bigint;
  replicas?: number;
  updatedReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  unavailableReplicas?: number;
  conditions?: AppsV1DeploymentCondition[];
  collisionCount?: number;
};

export type AppsV1DeploymentStrategy = {
  type?: string;
  rollingUpdate?: AppsV1RollingUpdateDeployment;
};

export type AppsV1ReplicaSet = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: AppsV1ReplicaSetSpec;
  status?: AppsV1ReplicaSetStatus;
};

export type AppsV1ReplicaSetCondition = {
  type?: string;
  status?: string;
  lastTransitionTime?: string | null;
  reason?: string;
  message?: string;
};

export type AppsV1ReplicaSetList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: AppsV1ReplicaSet[] | null;
};

export type AppsV1ReplicaSetSpec = {
  replicas?: number;
  minReadySeconds?: number;
  selector?: MetaV1LabelSelector | null;
  template?: CoreV1PodTemplateSpec;
};

export type AppsV1ReplicaSetStatus = {
  replicas?: number;
  fullyLabeledReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  observedGeneration?: number | bigint;
  conditions?: AppsV1ReplicaSetCondition[];
};

export type AppsV1RollingUpdateDaemonSet = {
  maxUnavailable?: number | string;
  maxSurge?: number | string;
};

export type AppsV1RollingUpdateDeployment = {
  maxUnavailable?: number | string;
  maxSurge?: number | string;
};

export type AppsV1RollingUpdateStatefulSetStrategy = {
  partition?: number;
  maxUnavailable?: number | string;
};

export type AppsV1StatefulSet = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: AppsV1StatefulSetSpec;
  status?: AppsV1StatefulSetStatus;
};

export type AppsV1StatefulSetCondition = {
  type?: string;
  status?: string;
  lastTransitionTime?: string | null;
  reason?: string;
  message?: string;
};

export type AppsV1StatefulSetList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: AppsV1StatefulSet[] | null;
};

export type AppsV1StatefulSetOrdinals = {
  start?: number;
};

export type AppsV1StatefulSetPersistentVolumeClaimRetentionPolicy = {
  whenDeleted?: string;
  whenScaled?: string;
};

export type AppsV1StatefulSetSpec = {
  replicas?: number;
  selector?: MetaV1LabelSelector | null;
  template?: CoreV1PodTemplateSpec;
  volumeClaimTemplates?: CoreV1PersistentVolumeClaim[];
  serviceName?: string;
  podManagementPolicy?: string;
  updateStrategy?: AppsV1StatefulSetUpdateStrategy;
  revisionHistoryLimit?: number;
  minReadySeconds?: number;
  persistentVolumeClaimRetentionPolicy?: AppsV1StatefulSetPersistentVolumeClaimRetentionPolicy;
  ordinals?: AppsV1StatefulSetOrdinals;
};

export type AppsV1StatefulSetStatus = {
  observedGeneration?: number | bigint;
  replicas?: number;
  readyReplicas?: number;
  currentReplicas?: number;
  updatedReplicas?: number;
  currentRevision?: string;
  updateRevision?: string;
  collisionCount?: number;
  conditions?: AppsV1StatefulSetCondition[];
  availableReplicas?: number;
};

export type AppsV1StatefulSetUpdateStrategy = {
  type?: string;
  rollingUpdate?: AppsV1RollingUpdateStatefulSetStrategy;
};

export type AuthenticationV1BoundObjectReference = {
  kind?: string;
  apiVersion?: string;
  name?: string;
  uid?: string;
};

export type AuthenticationV1SelfSubjectReview = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  status?: AuthenticationV1SelfSubjectReviewStatus;
};

export type AuthenticationV1SelfSubjectReviewStatus = {
  userInfo?: AuthenticationV1UserInfo;
};

export type AuthenticationV1TokenRequest = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: AuthenticationV1TokenRequestSpec;
  status?: AuthenticationV1TokenRequestStatus;
};

export type AuthenticationV1TokenRequestSpec = {
  audiences?: string[] | null;
  expirationSeconds?: number | bigint | null;
  boundObjectRef?: AuthenticationV1BoundObjectReference | null;
};

export type AuthenticationV1TokenRequestStatus = {
  token?: string;
  expirationTimestamp?: string | null;
};

export type AuthenticationV1TokenReview = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: AuthenticationV1TokenReviewSpec;
  status?: AuthenticationV1TokenReviewStatus;
};

export type AuthenticationV1TokenReviewSpec = {
  token?: string;
  audiences?: string[];
};

export type AuthenticationV1TokenReviewStatus = {
  authenticated?: boolean;
  user?: AuthenticationV1UserInfo;
  audiences?: string[];
  error?: string;
};

export type AuthenticationV1UserInfo = {
  username?: string;
  uid?: string;
  groups?: string[];
  extra?: Record<string, string[] | null>;
};

export type AuthenticationV1alpha1SelfSubjectReview = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  status?: AuthenticationV1alpha1SelfSubjectReviewStatus;
};

export type AuthenticationV1alpha1SelfSubjectReviewStatus = {
  userInfo?: AuthenticationV1UserInfo;
};

export type AuthenticationV1beta1SelfSubjectReview = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  status?: AuthenticationV1beta1SelfSubjectReviewStatus;
};

export type AuthenticationV1beta1SelfSubjectReviewStatus = {
  userInfo?: AuthenticationV1UserInfo;
};

export type AuthorizationV1FieldSelectorAttributes = {
  rawSelector?: string;
  requirements?: MetaV1FieldSelectorRequirement[];
};

export type AuthorizationV1LabelSelectorAttributes = {
  rawSelector?: string;
  requirements?: MetaV1LabelSelectorRequirement[];
};

export type AuthorizationV1LocalSubjectAccessReview = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: AuthorizationV1SubjectAccessReviewSpec;
  status?: AuthorizationV1SubjectAccessReviewStatus;
};

export type AuthorizationV1NonResourceAttributes = {
  path?: string;
  verb?: string;
};

export type AuthorizationV1NonResourceRule = {
  verbs?: string[] | null;
  nonResourceURLs?: string[];
};

export type AuthorizationV1ResourceAttributes = {
  namespace?: string;
  verb?: string;
  group?: string;
  version?: string;
  resource?: string;
  subresource?: string;
  name?: string;
  fieldSelector?: AuthorizationV1FieldSelectorAttributes;
  labelSelector?: AuthorizationV1LabelSelectorAttributes;
};

export type AuthorizationV1ResourceRule = {
  verbs?: string[] | null;
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
};

export type AuthorizationV1SelfSubjectAccessReview = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: AuthorizationV1SelfSubjectAccessReviewSpec;
  status?: AuthorizationV1SubjectAccessReviewStatus;
};

export type AuthorizationV1SelfSubjectAccessReviewSpec = {
  resourceAttributes?: AuthorizationV1ResourceAttributes;
  nonResourceAttributes?: AuthorizationV1NonResourceAttributes;
};

export type AuthorizationV1SelfSubjectRulesReview = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: AuthorizationV1SelfSubjectRulesReviewSpec;
  status?: AuthorizationV1SubjectRulesReviewStatus;
};

export type AuthorizationV1SelfSubjectRulesReviewSpec = {
  namespace?: string;
};

export type AuthorizationV1SubjectAccessReview = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: AuthorizationV1SubjectAccessReviewSpec;
  status?: AuthorizationV1SubjectAccessReviewStatus;
};

export type AuthorizationV1SubjectAccessReviewSpec = {
  resourceAttributes?: AuthorizationV1ResourceAttributes;
  nonResourceAttributes?: AuthorizationV1NonResourceAttributes;
  user?: string;
  groups?: string[];
  extra?: Record<string, string[] | null>;
  uid?: string;
};

export type AuthorizationV1SubjectAccessReviewStatus = {
  allowed?: boolean;
  denied?: boolean;
  reason?: string;
  evaluationError?: string;
};

export type AuthorizationV1SubjectRulesReviewStatus = {
  resourceRules?: AuthorizationV1ResourceRule[] | null;
  nonResourceRules?: AuthorizationV1NonResourceRule[] | null;
  incomplete?: boolean;
  evaluationError?: string;
};

export type AutoscalingV1ContainerResourceMetricSource = {
  name?: string;
  targetAverageUtilization?: number;
  targetAverageValue?: string;
  container?: string;
};

export type AutoscalingV1ContainerResourceMetricStatus = {
  name?: string;
  currentAverageUtilization?: number;
  currentAverageValue?: string;
  container?: string;
};

export type AutoscalingV1CrossVersionObjectReference = {
  kind?: string;
  name?: string;
  apiVersion?: string;
};

export type AutoscalingV1ExternalMetricSource = {
  metricName?: string;
  metricSelector?: MetaV1LabelSelector;
  targetValue?: string;
  targetAverageValue?: string;
};

export type AutoscalingV1ExternalMetricStatus = {
  metricName?: string;
  metricSelector?: MetaV1LabelSelector;
  currentValue?: string;
  currentAverageValue?: string;
};

export type AutoscalingV1HorizontalPodAutoscaler = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: AutoscalingV1HorizontalPodAutoscalerSpec;
  status?: AutoscalingV1HorizontalPodAutoscalerStatus;
};

export type AutoscalingV1HorizontalPodAutoscalerCondition = {
  type?: string;
  status?: string;
  lastTransitionTime?: string | null;
  reason?: string;
  message?: string;
};

export type AutoscalingV1HorizontalPodAutoscalerList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: AutoscalingV1HorizontalPodAutoscaler[] | null;
};

export type AutoscalingV1HorizontalPodAutoscalerSpec = {
  scaleTargetRef?: AutoscalingV1CrossVersionObjectReference;
  minReplicas?: number;
  maxReplicas?: number;
  targetCPUUtilizationPercentage?: number;
};

export type AutoscalingV1HorizontalPodAutoscalerStatus = {
  observedGeneration?: number | bigint;
  lastScaleTime?: string;
  currentReplicas?: number;
  desiredReplicas?: number;
  currentCPUUtilizationPercentage?: number;
};

export type AutoscalingV1MetricSpec = {
  type?: string;
  object?: AutoscalingV1ObjectMetricSource;
  pods?: AutoscalingV1PodsMetricSource;
  resource?: AutoscalingV1ResourceMetricSource;
  containerResource?: AutoscalingV1ContainerResourceMetricSource;
  external?: AutoscalingV1ExternalMetricSource;
};

export type AutoscalingV1MetricStatus = {
  type?: string;
  object?: AutoscalingV1ObjectMetricStatus;
  pods?: AutoscalingV1PodsMetricStatus;
  resource?: AutoscalingV1ResourceMetricStatus;
  containerResource?: AutoscalingV1ContainerResourceMetricStatus;
  external?: AutoscalingV1ExternalMetricStatus;
};

export type AutoscalingV1ObjectMetricSource = {
  target?: AutoscalingV1CrossVersionObjectReference;
  metricName?: string;
  targetValue?: string;
  selector?: MetaV1LabelSelector;
  averageValue?: string;
};

export type AutoscalingV1ObjectMetricStatus = {
  target?: AutoscalingV1CrossVersionObjectReference;
  metricName?: string;
  currentValue?: string;
  selector?: MetaV1LabelSelector;
  averageValue?: string;
};

export type AutoscalingV1PodsMetricSource = {
  metricName?: string;
  targetAverageValue?: string;
  selector?: MetaV1LabelSelector;
};

export type AutoscalingV1PodsMetricStatus = {
  metricName?: string;
  currentAverageValue?: string;
  selector?: MetaV1LabelSelector;
};

export type AutoscalingV1ResourceMetricSource = {
  name?: string;
  targetAverageUtilization?: number;
  targetAverageValue?: string;
};

export type AutoscalingV1ResourceMetricStatus = {
  name?: string;
  currentAverageUtilization?: number;
  currentAverageValue?: string;
};

export type AutoscalingV1Scale = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: AutoscalingV1ScaleSpec;
  status?: AutoscalingV1ScaleStatus;
};

export type AutoscalingV1ScaleSpec = {
  replicas?: number;
};

export type AutoscalingV1ScaleStatus = {
  replicas?: number;
  selector?: string;
};

export type AutoscalingV2ContainerResourceMetricSource = {
  name?: string;
  target?: AutoscalingV2MetricTarget;
  container?: string;
};

export type AutoscalingV2ContainerResourceMetricStatus = {
  name?: string;
  current?: AutoscalingV2MetricValueStatus;
  container?: string;
};

export type AutoscalingV2CrossVersionObjectReference = {
  kind?: string;
  name?: string;
  apiVersion?: string;
};

export type AutoscalingV2ExternalMetricSource = {
  metric?: AutoscalingV2MetricIdentifier;
  target?: AutoscalingV2MetricTarget;
};

export type AutoscalingV2ExternalMetricStatus = {
  metric?: AutoscalingV2MetricIdentifier;
  current?: AutoscalingV2MetricValueStatus;
};

export type AutoscalingV2HPAScalingPolicy = {
  type?: string;
  value?: number;
  periodSeconds?: number;
};

export type AutoscalingV2HPAScalingRules = {
  stabilizationWindowSeconds?: number;
  selectPolicy?: string;
  policies?: AutoscalingV2HPAScalingPolicy[];
};

export type AutoscalingV2HorizontalPodAutoscaler = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: AutoscalingV2HorizontalPodAutoscalerSpec;
  status?: AutoscalingV2HorizontalPodAutoscalerStatus;
};

export type AutoscalingV2HorizontalPodAutoscalerBehavior = {
  scaleUp?: AutoscalingV2HPAScalingRules;
  scaleDown?: AutoscalingV2HPAScalingRules;
};

export type AutoscalingV2HorizontalPodAutoscalerCondition = {
  type?: string;
  status?: string;
  lastTransitionTime?: string | null;
  reason?: string;
  message?: string;
};

export type AutoscalingV2HorizontalPodAutoscalerList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: AutoscalingV2HorizontalPodAutoscaler[] | null;
};

export type AutoscalingV2HorizontalPodAutoscalerSpec = {
  scaleTargetRef?: AutoscalingV2CrossVersionObjectReference;
  minReplicas?: number;
  maxReplicas?: number;
  metrics?: AutoscalingV2MetricSpec[];
  behavior?: AutoscalingV2HorizontalPodAutoscalerBehavior;
};

export type AutoscalingV2HorizontalPodAutoscalerStatus = {
  observedGeneration?: number | bigint;
  lastScaleTime?: string;
  currentReplicas?: number;
  desiredReplicas?: number;
  currentMetrics?: AutoscalingV2MetricStatus[] | null;
  conditions?: AutoscalingV2HorizontalPodAutoscalerCondition[];
};

export type AutoscalingV2MetricIdentifier = {
  name?: string;
  selector?: MetaV1LabelSelector;
};

export type AutoscalingV2MetricSpec = {
  type?: string;
  object?: AutoscalingV2ObjectMetricSource;
  pods?: AutoscalingV2PodsMetricSource;
  resource?: AutoscalingV2ResourceMetricSource;
  containerResource?: AutoscalingV2ContainerResourceMetricSource;
  external?: AutoscalingV2ExternalMetricSource;
};

export type AutoscalingV2MetricStatus = {
  type?: string;
  object?: AutoscalingV2ObjectMetricStatus;
  pods?: AutoscalingV2PodsMetricStatus;
  resource?: AutoscalingV2ResourceMetricStatus;
  containerResource?: AutoscalingV2ContainerResourceMetricStatus;
  external?: AutoscalingV2ExternalMetricStatus;
};

export type AutoscalingV2MetricTarget = {
  type?: string;
  value?: string;
  averageValue?: string;
  averageUtilization?: number;
};

export type AutoscalingV2MetricValueStatus = {
  value?: string;
  averageValue?: string;
  averageUtilization?: number;
};

export type AutoscalingV2ObjectMetricSource = {
  describedObject?: AutoscalingV2CrossVersionObjectReference;
  target?: AutoscalingV2MetricTarget;
  metric?: AutoscalingV2MetricIdentifier;
};

export type AutoscalingV2ObjectMetricStatus = {
  metric?: AutoscalingV2MetricIdentifier;
  current?: AutoscalingV2MetricValueStatus;
  describedObject?: AutoscalingV2CrossVersionObjectReference;
};

export type AutoscalingV2PodsMetricSource = {
  metric?: AutoscalingV2MetricIdentifier;
  target?: AutoscalingV2MetricTarget;
};

export type AutoscalingV2PodsMetricStatus = {
  metric?: AutoscalingV2MetricIdentifier;
  current?: AutoscalingV2MetricValueStatus;
};

export type AutoscalingV2ResourceMetricSource = {
  name?: string;
  target?: AutoscalingV2MetricTarget;
};

export type AutoscalingV2ResourceMetricStatus = {
  name?: string;
  current?: AutoscalingV2MetricValueStatus;
};

export type BatchV1CronJob = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: BatchV1CronJobSpec;
  status?: BatchV1CronJobStatus;
};

export type BatchV1CronJobList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: BatchV1CronJob[] | null;
};

export type BatchV1CronJobSpec = {
  schedule?: string;
  timeZone?: string;
  startingDeadlineSeconds?: number | bigint;
  concurrencyPolicy?: string;
  suspend?: boolean;
  jobTemplate?: BatchV1JobTemplateSpec;
  successfulJobsHistoryLimit?: number;
  failedJobsHistoryLimit?: number;
};

export type BatchV1CronJobStatus = {
  active?: CoreV1ObjectReference[];
  lastScheduleTime?: string;
  lastSuccessfulTime?: string;
};

export type BatchV1Job = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: BatchV1JobSpec;
  status?: BatchV1JobStatus;
};

export type BatchV1JobCondition = {
  type?: string;
  status?: string;
  lastProbeTime?: string | null;
  lastTransitionTime?: string | null;
  reason?: string;
  message?: string;
};

export type BatchV1JobList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: BatchV1Job[] | null;
};

export type BatchV1JobSpec = {
  parallelism?: number;
  completions?: number;
  activeDeadlineSeconds?: number | bigint;
  podFailurePolicy?: BatchV1PodFailurePolicy;
  successPolicy?: BatchV1SuccessPolicy;
  backoffLimit?: number;
  backoffLimitPerIndex?: number;
  maxFailedIndexes?: number;
  selector?: MetaV1LabelSelector;
  manualSelector?: boolean;
  template?: CoreV1PodTemplateSpec;
  ttlSecondsAfterFinished?: number;
  completionMode?: string;
  suspend?: boolean;
  podReplacementPolicy?: string;
  managedBy?: string;
};

export type BatchV1JobStatus = {
  conditions?: BatchV1JobCondition[];
  startTime?: string;
  completionTime?: string;
  active?: number;
  succeeded?: number;
  failed?: number;
  terminating?: number;
  completedIndexes?: string;
  failedIndexes?: string;
  uncountedTerminatedPods?: BatchV1UncountedTerminatedPods;
  ready?: number;
};

export type BatchV1JobTemplateSpec = {
  metadata?: MetaV1ObjectMeta;
  spec?: BatchV1JobSpec;
};

export type BatchV1PodFailurePolicy = {
  rules?: BatchV1PodFailurePolicyRule[] | null;
};

export type BatchV1PodFailurePolicyOnExitCodesRequirement = {
  containerName?: string;
  operator?: string;
  values?: number[] | null;
};

export type BatchV1PodFailurePolicyOnPodConditionsPattern = {
  type?: string;
  status?: string;
};

export type BatchV1PodFailurePolicyRule = {
  action?: string;
  onExitCodes?: BatchV1PodFailurePolicyOnExitCodesRequirement;
  onPodConditions?: BatchV1PodFailurePolicyOnPodConditionsPattern[];
};

export type BatchV1SuccessPolicy = {
  rules?: BatchV1SuccessPolicyRule[] | null;
};

export type BatchV1SuccessPolicyRule = {
  succeededIndexes?: string;
  succeededCount?: number;
};

export type BatchV1UncountedTerminatedPods = {
  succeeded?: string[];
  failed?: string[];
};

export type CertificatesV1CertificateSigningRequest = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: CertificatesV1CertificateSigningRequestSpec;
  status?: CertificatesV1CertificateSigningRequestStatus;
};

export type CertificatesV1CertificateSigningRequestCondition = {
  type?: string;
  status?: string;
  reason?: string;
  message?: string;
  lastUpdateTime?: string | null;
  lastTransitionTime?: string | null;
};

export type CertificatesV1CertificateSigningRequestList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: CertificatesV1CertificateSigningRequest[] | null;
};

export type CertificatesV1CertificateSigningRequestSpec = {
  request?: string | null;
  signerName?: string;
  expirationSeconds?: number;
  usages?: string[];
  username?: string;
  uid?: string;
  groups?: string[];
  extra?: Record<string, string[] | null>;
};

export type CertificatesV1CertificateSigningRequestStatus = {
  conditions?: CertificatesV1CertificateSigningRequestCondition[];
  certificate?: string;
};

export type CoordinationV1Lease = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: CoordinationV1LeaseSpec;
};

export type CoordinationV1LeaseList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: CoordinationV1Lease[] | null;
};

export type CoordinationV1LeaseSpec = {
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  acquireTime?: string;
  renewTime?: string;
  leaseTransitions?: number;
  strategy?: string;
  preferredHolder?: string;
};

export type CoordinationV1alpha1LeaseCandidate = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: CoordinationV1alpha1LeaseCandidateSpec;
};

export type CoordinationV1alpha1LeaseCandidateList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: CoordinationV1alpha1LeaseCandidate[] | null;
};

export type CoordinationV1alpha1LeaseCandidateSpec = {
  leaseName?: string;
  pingTime?: string;
  renewTime?: string;
  binaryVersion?: string;
  emulationVersion?: string;
  preferredStrategies?: string[];
};

export type CoreV1AWSElasticBlockStoreVolumeSource = {
  volumeID?: string;
  fsType?: string;
  partition?: number;
  readOnly?: boolean;
};

export type CoreV1Affinity = {
  nodeAffinity?: CoreV1NodeAffinity;
  podAffinity?: CoreV1PodAffinity;
  podAntiAffinity?: CoreV1PodAntiAffinity;
};

export type CoreV1AppArmorProfile = {
  type?: string;
  localhostProfile?: string;
};

export type CoreV1AttachedVolume = {
  name?: string;
  devicePath?: string;
};

export type CoreV1AzureDiskVolumeSource = {
  diskName?: string;
  diskURI?: string;
  cachingMode?: string;
  fsType?: string;
  readOnly?: boolean;
  kind?: string;
};

export type CoreV1AzureFilePersistentVolumeSource = {
  secretName?: string;
  shareName?: string;
  readOnly?: boolean;
  secretNamespace?: string | null;
};

export type CoreV1AzureFileVolumeSource = {
  secretName?: string;
  shareName?: string;
  readOnly?: boolean;
};

export type CoreV1Binding = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  target?: CoreV1ObjectReference;
};

export type CoreV1CSIPersistentVolumeSource = {
  driver?: string;
  volumeHandle?: string;
  readOnly?: boolean;
  fsType?: string;
  volumeAttributes?: Record<string, string>;
  controllerPublishSecretRef?: CoreV1SecretReference;
  nodeStageSecretRef?: CoreV1SecretReference;
  nodePublishSecretRef?: CoreV1SecretReference;
  controllerExpandSecretRef?: CoreV1SecretReference;
  nodeExpandSecretRef?: CoreV1SecretReference;
};

export type CoreV1CSIVolumeSource = {
  driver?: string;
  readOnly?: boolean;
  fsType?: string;
  volumeAttributes?: Record<string, string>;
  nodePublishSecretRef?: CoreV1LocalObjectReference;
};

export type CoreV1Capabilities = {
  add?: string[];
  drop?: string[];
};

export type CoreV1CephFSPersistentVolumeSource = {
  monitors?: string[] | null;
  path?: string;
  user?: string;
  secretFile?: string;
  secretRef?: CoreV1SecretReference;
  readOnly?: boolean;
};

export type CoreV1CephFSVolumeSource = {
  monitors?: string[] | null;
  path?: string;
  user?: string;
  secretFile?: string;
  secretRef?: CoreV1LocalObjectReference;
  readOnly?: boolean;
};

export type CoreV1CinderPersistentVolumeSource = {
  volumeID?: string;
  fsType?: string;
  readOnly?: boolean;
  secretRef?: CoreV1SecretReference;
};

export type CoreV1CinderVolumeSource = {
  volumeID?: string;
  fsType?: string;
  readOnly?: boolean;
  secretRef?: CoreV1LocalObjectReference;
};

export type CoreV1ClientIPConfig = {
  timeoutSeconds?: number;
};

export type CoreV1ClusterTrustBundleProjection = {
  name?: string;
  signerName?: string;
  labelSelector?: MetaV1LabelSelector;
  optional?: boolean;
  path?: string;
};

export type CoreV1ComponentCondition = {
  type?: string;
  status?: string;
  message?: string;
  error?: string;
};

export type CoreV1ComponentStatus = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  conditions?: CoreV1ComponentCondition[];
};

export type CoreV1ComponentStatusList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: CoreV1ComponentStatus[] | null;
};

export type CoreV1ConfigMap = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  immutable?: boolean;
  data?: Record<string, string>;
  binaryData?: Record<string, string | null>;
};

export type CoreV1ConfigMapEnvSource = {
  name?: string;
  optional?: boolean;
};

export type CoreV1ConfigMapKeySelector = {
  name?: string;
  key?: string;
  optional?: boolean;
};

export type CoreV1ConfigMapList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: CoreV1ConfigMap[] | null;
};

export type CoreV1ConfigMapNodeConfigSource = {
  namespace?: string;
  name?: string;
  uid?: string;
  resourceVersion?: string;
  kubeletConfigKey?: string;
};

export type CoreV1ConfigMapProjection = {
  name?: string;
  items?: CoreV1KeyToPath[];
  optional?: boolean;
};

export type CoreV1ConfigMapVolumeSource = {
  name?: string;
  items?: CoreV1KeyToPath[];
  defaultMode?: number;
  optional?: boolean;
};

export type CoreV1Container = {
  name?: string;
  image?: string;
  command?: string[];
  args?: string[];
  workingDir?: string;
  ports?: CoreV1ContainerPort[];
  envFrom?: CoreV1EnvFromSource[];
  env?: CoreV1EnvVar[];
  resources?: CoreV1ResourceRequirements;
  resizePolicy?: CoreV1ContainerResizePolicy[];
  restartPolicy?: string;
  volumeMounts?: CoreV1VolumeMount[];
  volumeDevices?: CoreV1VolumeDevice[];
  livenessProbe?: CoreV1Probe;
  readinessProbe?: CoreV1Probe;
  startupProbe?: CoreV1Probe;
  lifecycle?: CoreV1Lifecycle;
  terminationMessagePath?: string;
  terminationMessagePolicy?: string;
  imagePullPolicy?: string;
  securityContext?: CoreV1SecurityContext;
  stdin?: boolean;
  stdinOnce?: boolean;
  tty?: boolean;
};

export type CoreV1ContainerImage = {
  names?: string[] | null;
  sizeBytes?: number | bigint;
};

export type CoreV1ContainerPort = {
  name?: string;
  hostPort?: number;
  containerPort?: number;
  protocol?: string;
  hostIP?: string;
};

export type CoreV1ContainerResizePolicy = {
  resourceName?: string;
  restartPolicy?: string;
};

export type CoreV1ContainerState = {
  waiting?: CoreV1ContainerStateWaiting;
  running?: CoreV1ContainerStateRunning;
  terminated?: CoreV1ContainerStateTerminated;
};

export type CoreV1ContainerStateRunning = {
  startedAt?: string | null;
};

export type CoreV1ContainerStateTerminated = {
  exitCode?: number;
  signal?: number;
  reason?: string;
  message?: string;
  startedAt?: string | null;
  finishedAt?: string | null;
  containerID?: string;
};

export type CoreV1ContainerStateWaiting = {
  reason?: string;
  message?: string;
};

export type CoreV1ContainerStatus = {
  name?: string;
  state?: CoreV1ContainerState;
  lastState?: CoreV1ContainerState;
  ready?: boolean;
  restartCount?: number;
  image?: string;
  imageID?: string;
  containerID?: string;
  started?: boolean;
  allocatedResources?: Record<string, string>;
  resources?: CoreV1ResourceRequirements;
  volumeMounts?: CoreV1VolumeMountStatus[];
  user?: CoreV1ContainerUser;
  allocatedResourcesStatus?: CoreV1ResourceStatus[];
};

export type CoreV1ContainerUser = {
  linux?: CoreV1LinuxContainerUser;
};

export type CoreV1DaemonEndpoint = {
  Port?: number;
};

export type CoreV1DownwardAPIProjection = {
  items?: CoreV1DownwardAPIVolumeFile[];
};

export type CoreV1DownwardAPIVolumeFile = {
  path?: string;
  fieldRef?: CoreV1ObjectFieldSelector;
  resourceFieldRef?: CoreV1ResourceFieldSelector;
  mode?: number;
};

export type CoreV1DownwardAPIVolumeSource = {
  items?: CoreV1DownwardAPIVolumeFile[];
  defaultMode?: number;
};

export type CoreV1EmptyDirVolumeSource = {
  medium?: string;
  sizeLimit?: string;
};

export type CoreV1EndpointAddress = {
  ip?: string;
  hostname?: string;
  nodeName?: string;
  targetRef?: CoreV1ObjectReference;
};

export type CoreV1EndpointPort = {
  name?: string;
  port?: number;
  protocol?: string;
  appProtocol?: string;
};

export type CoreV1EndpointSubset = {
  addresses?: CoreV1EndpointAddress[];
  notReadyAddresses?: CoreV1EndpointAddress[];
  ports?: CoreV1EndpointPort[];
};

export type CoreV1Endpoints = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  subsets?: CoreV1EndpointSubset[];
};

export type CoreV1EndpointsList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: CoreV1Endpoints[] | null;
};

export type CoreV1EnvFromSource = {
  prefix?: string;
  configMapRef?: CoreV1ConfigMapEnvSource;
  secretRef?: CoreV1SecretEnvSource;
};

export type CoreV1EnvVar = {
  name?: string;
  value?: string;
  valueFrom?: CoreV1EnvVarSource;
};

export type CoreV1EnvVarSource = {
  fieldRef?: CoreV1ObjectFieldSelector;
  resourceFieldRef?: CoreV1ResourceFieldSelector;
  configMapKeyRef?: CoreV1ConfigMapKeySelector;
  secretKeyRef?: CoreV1SecretKeySelector;
};

export type CoreV1EphemeralContainer = {
  name?: string;
  image?: string;
  command?: string[];
  args?: string[];
  workingDir?: string;
  ports?: CoreV1ContainerPort[];
  envFrom?: CoreV1EnvFromSource[];
  env?: CoreV1EnvVar[];
  resources?: CoreV1ResourceRequirements;
  resizePolicy?: CoreV1ContainerResizePolicy[];
  restartPolicy?: string;
  volumeMounts?: CoreV1VolumeMount[];
  volumeDevices?: CoreV1VolumeDevice[];
  livenessProbe?: CoreV1Probe;
  readinessProbe?: CoreV1Probe;
  startupProbe?: CoreV1Probe;
  lifecycle?: CoreV1Lifecycle;
  terminationMessagePath?: string;
  terminationMessagePolicy?: string;
  imagePullPolicy?: string;
  securityContext?: CoreV1SecurityContext;
  stdin?: boolean;
  stdinOnce?: boolean;
  tty?: boolean;
  targetContainerName?: string;
};

export type CoreV1EphemeralContainerCommon = {
  name?: string;
  image?: string;
  command?: string[];
  args?: string[];
  workingDir?: string;
  ports?: CoreV1ContainerPort[];
  envFrom?: CoreV1EnvFromSource[];
  env?: CoreV1EnvVar[];
  resources?: CoreV1ResourceRequirements;
  resizePolicy?: CoreV1ContainerResizePolicy[];
  restartPolicy?: string;
  volumeMounts?: CoreV1VolumeMount[];
  volumeDevices?: CoreV1VolumeDevice[];
  livenessProbe?: CoreV1Probe;
  readinessProbe?: CoreV1Probe;
  startupProbe?: CoreV1Probe;
  lifecycle?: CoreV1Lifecycle;
  terminationMessagePath?: string;
  terminationMessagePolicy?: string;
  imagePullPolicy?: string;
  securityContext?: CoreV1SecurityContext;
  stdin?: boolean;
  stdinOnce?: boolean;
  tty?: boolean;
};

export type CoreV1EphemeralVolumeSource = {
  volumeClaimTemplate?: CoreV1PersistentVolumeClaimTemplate;
};

export type CoreV1Event = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  involvedObject?: CoreV1ObjectReference;
  reason?: string;
  message?: string;
  source?: CoreV1EventSource;
  firstTimestamp?: string | null;
  lastTimestamp?: string | null;
  count?: number;
  type?: string;
  eventTime?: string | null;
  series?: CoreV1EventSeries;
  action?: string;
  related?: CoreV1ObjectReference;
  reportingComponent?: string;
  reportingInstance?: string;
};

export type CoreV1EventList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: CoreV1Event[] | null;
};

export type CoreV1EventSeries = {
  count?: number;
  lastObservedTime?: string | null;
};

export type CoreV1EventSource = {
  component?: string;
  host?: string;
};

export type CoreV1ExecAction = {
  command?: string[];
};

export type CoreV1FCVolumeSource = {
  targetWWNs?: string[];
  lun?: number;
  fsType?: string;
  readOnly?: boolean;
  wwids?: string[];
};

export type CoreV1FlexPersistentVolumeSource = {
  driver?: string;
  fsType?: string;
  secretRef?: CoreV1SecretReference;
  readOnly?: boolean;
  options?: Record<string, string>;
};

export type CoreV1FlexVolumeSource = {
  driver?: string;
  fsType?: string;
  secretRef?: CoreV1LocalObjectReference;
  readOnly?: boolean;
  options?: Record<string, string>;
};

export type CoreV1FlockerVolumeSource = {
  datasetName?: string;
  datasetUUID?: string;
};

export type CoreV1GCEPersistentDiskVolumeSource = {
  pdName?: string;
  fsType?: string;
  partition?: number;
  readOnly?: boolean;
};

export type CoreV1GRPCAction = {
  port?: number;
  service?: string | null;
};

export type CoreV1GitRepoVolumeSource = {
  repository?: string;
  revision?: string;
  directory?: string;
};

export type CoreV1GlusterfsPersistentVolumeSource = {
  endpoints?: string;
  path?: string;
  readOnly?: boolean;
  endpointsNamespace?: string;
};

export type CoreV1GlusterfsVolumeSource = {
  endpoints?: string;
  path?: string;
  readOnly?: boolean;
};

export type CoreV1HTTPGetAction = {
  path?: string;
  port?: number | string;
  host?: string;
  scheme?: string;
  httpHeaders?: CoreV1HTTPHeader[];
};

export type CoreV1HTTPHeader = {
  name?: string;
  value?: string;
};

export type CoreV1HostAlias = {
  ip?: string;
  hostnames?: string[];
};

export type CoreV1HostIP = {
  ip?: string;
};

export type CoreV1HostPathVolumeSource = {
  path?: string;
  type?: string;
};

export type CoreV1ISCSIPersistentVolumeSource = {
  targetPortal?: string;
  iqn?: string;
  lun?: number;
  iscsiInterface?: string;
  fsType?: string;
  readOnly?: boolean;
  portals?: string[];
  chapAuthDiscovery?: boolean;
  chapAuthSession?: boolean;
  secretRef?: CoreV1SecretReference;
  initiatorName?: string;
};

export type CoreV1ISCSIVolumeSource = {
  targetPortal?: string;
  iqn?: string;
  lun?: number;
  iscsiInterface?: string;
  fsType?: string;
  readOnly?: boolean;
  portals?: string[];
  chapAuthDiscovery?: boolean;
  chapAuthSession?: boolean;
  secretRef?: CoreV1LocalObjectReference;
  initiatorName?: string;
};

export type CoreV1ImageVolumeSource = {
  reference?: string;
  pullPolicy?: string;
};

export type CoreV1KeyToPath = {
  key?: string;
  path?: string;
  mode?: number;
};

export type CoreV1Lifecycle = {
  postStart?: CoreV1LifecycleHandler;
  preStop?: CoreV1LifecycleHandler;
};

export type CoreV1LifecycleHandler = {
  exec?: CoreV1ExecAction;
  httpGet?: CoreV1HTTPGetAction;
  tcpSocket?: CoreV1TCPSocketAction;
  sleep?: CoreV1SleepAction;
};

export type CoreV1LimitRange = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: CoreV1LimitRangeSpec;
};

export type CoreV1LimitRangeItem = {
  type?: string;
  max?: Record<string, string>;
  min?: Record<string, string>;
  default?: Record<string, string>;
  defaultRequest?: Record<string, string>;
  maxLimitRequestRatio?: Record<string, string>;
};

export type CoreV1LimitRangeList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: CoreV1LimitRange[] | null;
};

export type CoreV1LimitRangeSpec = {
  limits?: CoreV1LimitRangeItem[] | null;
};

export type CoreV1LinuxContainerUser = {
  uid?: number | bigint;
  gid?: number | bigint;
  supplementalGroups?: (number | bigint)[];
};

export type CoreV1LoadBalancerIngress = {
  ip?: string;
  hostname?: string;
  ipMode?: string;
  ports?: CoreV1PortStatus[];
};

export type CoreV1LoadBalancerStatus = {
  ingress?: CoreV1LoadBalancerIngress[];
};

export type CoreV1LocalObjectReference = {
  name?: string;
};

export type CoreV1LocalVolumeSource = {
  path?: string;
  fsType?: string;
};

export type CoreV1ModifyVolumeStatus = {
  targetVolumeAttributesClassName?: string;
  status?: string;
};

export type CoreV1NFSVolumeSource = {
  server?: string;
  path?: string;
  readOnly?: boolean;
};

export type CoreV1Namespace = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: CoreV1NamespaceSpec;
  status?: CoreV1NamespaceStatus;
};

export type CoreV1NamespaceCondition = {
  type?: string;
  status?: string;
  lastTransitionTime?: string | null;
  reason?: string;
  message?: string;
};

export type CoreV1NamespaceList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: CoreV1Namespace[] | null;
};

export type CoreV1NamespaceSpec = {
  finalizers?: string[];
};

export type CoreV1NamespaceStatus = {
  phase?: string;
  conditions?: CoreV1NamespaceCondition[];
};

export type CoreV1Node = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: CoreV1NodeSpec;
  status?: CoreV1NodeStatus;
};

export type CoreV1NodeAddress = {
  type?: string;
  address?: string;
};

export type CoreV1NodeAffinity = {
  requiredDuringSchedulingIgnoredDuringExecution?: CoreV1NodeSelector;
  preferredDuringSchedulingIgnoredDuringExecution?: CoreV1PreferredSchedulingTerm[];
};

export type CoreV1NodeCondition = {
  type?: string;
  status?: string;
  lastHeartbeatTime?: string | null;
  lastTransitionTime?: string | null;
  reason?: string;
  message?: string;
};

export type CoreV1NodeConfigSource = {
  configMap?: CoreV1ConfigMapNodeConfigSource;
};

export type CoreV1NodeConfigStatus = {
  assigned?: CoreV1NodeConfigSource;
  active?: CoreV1NodeConfigSource;
  lastKnownGood?: CoreV1NodeConfigSource;
  error?: string;
};

export type CoreV1NodeDaemonEndpoints = {
  kubeletEndpoint?: CoreV1DaemonEndpoint;
};

export type CoreV1NodeFeatures = {
  supplementalGroupsPolicy?: boolean;
};

export type CoreV1NodeList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: CoreV1Node[] | null;
};

export type CoreV1NodeProxyOptions = {
  apiVersion?: string;
  kind?: string;
  path?: string;
};

export type CoreV1NodeRuntimeHandler = {
  name?: string;
  features?: CoreV1NodeRuntimeHandlerFeatures;
};

export type CoreV1NodeRuntimeHandlerFeatures = {
  recursiveReadOnlyMounts?: boolean;
  userNamespaces?: boolean;
};

export type CoreV1NodeSelector = {
  nodeSelectorTerms?: CoreV1NodeSelectorTerm[] | null;
};

export type CoreV1NodeSelectorRequirement = {
  key?: string;
  operator?: string;
  values?: string[];
};

export type CoreV1NodeSelectorTerm = {
  matchExpressions?: CoreV1NodeSelectorRequirement[];
  matchFields?: CoreV1NodeSelectorRequirement[];
};

export type CoreV1NodeSpec = {
  podCIDR?: string;
  podCIDRs?: string[];
  providerID?: string;
  unschedulable?: boolean;
  taints?: CoreV1Taint[];
  configSource?: CoreV1NodeConfigSource;
  externalID?: string;
};

export type CoreV1NodeStatus = {
  capacity?: Record<string, string>;
  allocatable?: Record<string, string>;
  phase?: string;
  conditions?: CoreV1NodeCondition[];
  addresses?: CoreV1NodeAddress[];
  daemonEndpoints?: CoreV1NodeDaemonEndpoints;
  nodeInfo?: CoreV1NodeSystemInfo;
  images?: CoreV1ContainerImage[];
  volumesInUse?: string[];
  volumesAttached?: CoreV1AttachedVolume[];
  config?: CoreV1NodeConfigStatus;
  runtimeHandlers?: CoreV1NodeRuntimeHandler[];
  features?: CoreV1NodeFeatures;
};

export type CoreV1NodeSystemInfo = {
  machineID?: string;
  systemUUID?: string;
  bootID?: string;
  kernelVersion?: string;
  osImage?: string;
  containerRuntimeVersion?: string;
  kubeletVersion?: string;
  kubeProxyVersion?: string;
  operatingSystem?: string;
  architecture?: string;
};

export type CoreV1ObjectFieldSelector = {
  apiVersion?: string;
  fieldPath?: string;
};

export type CoreV1ObjectReference = {
  kind?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  apiVersion?: string;
  resourceVersion?: string;
  fieldPath?: string;
};

export type CoreV1PersistentVolume = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: CoreV1PersistentVolumeSpec;
  status?: CoreV1PersistentVolumeStatus;
};

export type CoreV1PersistentVolumeClaim = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: CoreV1PersistentVolumeClaimSpec;
  status?: CoreV1PersistentVolumeClaimStatus;
};

export type CoreV1PersistentVolumeClaimCondition = {
  type?: string;
  status?: string;
  lastProbeTime?: string | null;
  lastTransitionTime?: string | null;
  reason?: string;
  message?: string;
};

export type CoreV1PersistentVolumeClaimList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: CoreV1PersistentVolumeClaim[] | null;
};

export type CoreV1PersistentVolumeClaimSpec = {
  accessModes?: string[];
  selector?: MetaV1LabelSelector;
  resources?: CoreV1VolumeResourceRequirements;
  volumeName?: string;
  storageClassName?: string;
  volumeMode?: string;
  dataSource?: CoreV1TypedLocalObjectReference;
  dataSourceRef?: CoreV1TypedObjectReference;
  volumeAttributesClassName?: string;
};

export type CoreV1PersistentVolumeClaimStatus = {
  phase?: string;
  accessModes?: string[];
  capacity?: Record<string, string>;
  conditions?: CoreV1PersistentVolumeClaimCondition[];
  allocatedResources?: Record<string, string>;
  allocatedResourceStatuses?: Record<string, string>;
  currentVolumeAttributesClassName?: string;
  modifyVolumeStatus?: CoreV1ModifyVolumeStatus;
};

export type CoreV1PersistentVolumeClaimTemplate = {
  metadata?: MetaV1ObjectMeta;
  spec?: CoreV1PersistentVolumeClaimSpec;
};

export type CoreV1PersistentVolumeClaimVolumeSource = {
  claimName?: string;
  readOnly?: boolean;
};

export type CoreV1PersistentVolumeList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: CoreV1PersistentVolume[] | null;
};

export type CoreV1PersistentVolumeSource = {
  gcePersistentDisk?: CoreV1GCEPersistentDiskVolumeSource;
  awsElasticBlockStore?: CoreV1AWSElasticBlockStoreVolumeSource;
  hostPath?: CoreV1HostPathVolumeSource;
  glusterfs?: CoreV1GlusterfsPersistentVolumeSource;
  nfs?: CoreV1NFSVolumeSource;
  rbd?: CoreV1RBDPersistentVolumeSource;
  iscsi?: CoreV1ISCSIPersistentVolumeSource;
  cinder?: CoreV1CinderPersistentVolumeSource;
  cephfs?: CoreV1CephFSPersistentVolumeSource;
  fc?: CoreV1FCVolumeSource;
  flocker?: CoreV1FlockerVolumeSource;
  flexVolume?: CoreV1FlexPersistentVolumeSource;
  azureFile?: CoreV1AzureFilePersistentVolumeSource;
  vsphereVolume?: CoreV1VsphereVirtualDiskVolumeSource;
  quobyte?: CoreV1QuobyteVolumeSource;
  azureDisk?: CoreV1AzureDiskVolumeSource;
  photonPersistentDisk?: CoreV1PhotonPersistentDiskVolumeSource;
  portworxVolume?: CoreV1PortworxVolumeSource;
  scaleIO?: CoreV1ScaleIOPersistentVolumeSource;
  local?: CoreV1LocalVolumeSource;
  storageos?: CoreV1StorageOSPersistentVolumeSource;
  csi?: CoreV1CSIPersistentVolumeSource;
};

export type CoreV1PersistentVolumeSpec = {
  capacity?: Record<string, string>;
  gcePersistentDisk?: CoreV1GCEPersistentDiskVolumeSource;
  awsElasticBlockStore?: CoreV1AWSElasticBlockStoreVolumeSource;
  hostPath?: CoreV1HostPathVolumeSource;
  glusterfs?: CoreV1GlusterfsPersistentVolumeSource;
  nfs?: CoreV1NFSVolumeSource;
  rbd?: CoreV1RBDPersistentVolumeSource;
  iscsi?: CoreV1ISCSIPersistentVolumeSource;
  cinder?: CoreV1CinderPersistentVolumeSource;
  cephfs?: CoreV1CephFSPersistentVolumeSource;
  fc?: CoreV1FCVolumeSource;
  flocker?: CoreV1FlockerVolumeSource;
  flexVolume?: CoreV1FlexPersistentVolumeSource;
  azureFile?: CoreV1AzureFilePersistentVolumeSource;
  vsphereVolume?: CoreV1VsphereVirtualDiskVolumeSource;
  quobyte?: CoreV1QuobyteVolumeSource;
  azureDisk?: CoreV1AzureDiskVolumeSource;
  photonPersistentDisk?: CoreV1PhotonPersistentDiskVolumeSource;
  portworxVolume?: CoreV1PortworxVolumeSource;
  scaleIO?: CoreV1ScaleIOPersistentVolumeSource;
  local?: CoreV1LocalVolumeSource;
  storageos?: CoreV1StorageOSPersistentVolumeSource;
  csi?: CoreV1CSIPersistentVolumeSource;
  accessModes?: string[];
  claimRef?: CoreV1ObjectReference;
  persistentVolumeReclaimPolicy?: string;
  storageClassName?: string;
  mountOptions?: string[];
  volumeMode?: string;
  nodeAffinity?: CoreV1VolumeNodeAffinity;
  volumeAttributesClassName?: string;
};

export type CoreV1PersistentVolumeStatus = {
  phase?: string;
  message?: string;
  reason?: string;
  lastPhaseTransitionTime?: string;
};

export type CoreV1PhotonPersistentDiskVolumeSource = {
  pdID?: string;
  fsType?: string;
};

export type CoreV1Pod = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: CoreV1PodSpec;
  status?: CoreV1PodStatus;
};

export type CoreV1PodAffinity = {
  requiredDuringSchedulingIgnoredDuringExecution?: CoreV1PodAffinityTerm[];
  preferredDuringSchedulingIgnoredDuringExecution?: CoreV1WeightedPodAffinityTerm[];
};

export type CoreV1PodAffinityTerm = {
  labelSelector?: MetaV1LabelSelector;
  namespaces?: string[];
  topologyKey?: string;
  namespaceSelector?: MetaV1LabelSelector;
  matchLabelKeys?: string[];
  mismatchLabelKeys?: string[];
};

export type CoreV1PodAntiAffinity = {
  requiredDuringSchedulingIgnoredDuringExecution?: CoreV1PodAffinityTerm[];
  preferredDuringSchedulingIgnoredDuringExecution?: CoreV1WeightedPodAffinityTerm[];
};

export type CoreV1PodAttachOptions = {
  apiVersion?: string;
  kind?: string;
  stdin?: boolean;
  stdout?: boolean;
  stderr?: boolean;
  tty?: boolean;
  container?: string;
};

export type CoreV1PodCondition = {
  type?: string;
  status?: string;
  lastProbeTime?: string | null;
  lastTransitionTime?: string | null;
  reason?: string;
  message?: string;
};

export type CoreV1PodDNSConfig = {
  nameservers?: string[];
  searches?: string[];
  options?: CoreV1PodDNSConfigOption[];
};

export type CoreV1PodDNSConfigOption = {
  name?: string;
  value?: string;
};

export type CoreV1PodExecOptions = {
  apiVersion?: string;
  kind?: string;
  stdin?: boolean;
  stdout?: boolean;
  stderr?: boolean;
  tty?: boolean;
  container?: string;
  command?: string[] | null;
};

export type CoreV1PodIP = {
  ip?: string;
};

export type CoreV1PodList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: CoreV1Pod[] | null;
};

export type CoreV1PodLogOptions = {
  apiVersion?: string;
  kind?: string;
  container?: string;
  follow?: boolean;
  previous?: boolean;
  sinceSeconds?: number | bigint;
  sinceTime?: string;
  timestamps?: boolean;
  tailLines?: number | bigint;
  limitBytes?: number | bigint;
  insecureSkipTLSVerifyBackend?: boolean;
};

export type CoreV1PodOS = {
  name?: string;
};

export type CoreV1PodPortForwardOptions = {
  apiVersion?: string;
  kind?: string;
  ports?: number[];
};

export type CoreV1PodProxyOptions = {
  apiVersion?: string;
  kind?: string;
  path?: string;
};

export type CoreV1PodReadinessGate = {
  conditionType?: string;
};

export type CoreV1PodResourceClaim = {
  name?: string;
  resourceClaimName?: string;
  resourceClaimTemplateName?: string;
};

export type CoreV1PodResourceClaimStatus = {
  name?: string;
  resourceClaimName?: string;
};

export type CoreV1PodSchedulingGate = {
  name?: string;
};

export type CoreV1PodSecurityContext = {
  seLinuxOptions?: CoreV1SELinuxOptions;
  windowsOptions?: CoreV1WindowsSecurityContextOptions;
  runAsUser?: number | bigint;
  runAsGroup?: number | bigint;
  runAsNonRoot?: boolean;
  supplementalGroups?: (number | bigint)[];
  supplementalGroupsPolicy?: string;
  fsGroup?: number | bigint;
  sysctls?: CoreV1Sysctl[];
  fsGroupChangePolicy?: string;
  seccompProfile?: CoreV1SeccompProfile;
  appArmorProfile?: CoreV1AppArmorProfile;
};

export type CoreV1PodSpec = {
  volumes?: CoreV1Volume[];
  initContainers?: CoreV1Container[];
  containers?: CoreV1Container[] | null;
  ephemeralContainers?: CoreV1EphemeralContainer[];
  restartPolicy?: string;
  terminationGracePeriodSeconds?: number | bigint;
  activeDeadlineSeconds?: number | bigint;
  dnsPolicy?: string;
  nodeSelector?: Record<string, string>;
  serviceAccountName?: string;
  serviceAccount?: string;
  automountServiceAccountToken?: boolean;
  nodeName?: string;
  hostNetwork?: boolean;
  hostPID?: boolean;
  hostIPC?: boolean;
  shareProcessNamespace?: boolean;
  securityContext?: CoreV1PodSecurityContext;
  imagePullSecrets?: CoreV1LocalObjectReference[];
  hostname?: string;
  subdomain?: string;
  affinity?: CoreV1Affinity;
  schedulerName?: string;
  tolerations?: CoreV1Toleration[];
  hostAliases?: CoreV1HostAlias[];
  priorityClassName?: string;
  priority?: number;
  dnsConfig?: CoreV1PodDNSConfig;
  readinessGates?: CoreV1PodReadinessGate[];
  runtimeClassName?: string;
  enableServiceLinks?: boolean;
  preemptionPolicy?: string;
  overhead?: Record<string, string>;
  topologySpreadConstraints?: CoreV1TopologySpreadConstraint[];
  setHostnameAsFQDN?: boolean;
  os?: CoreV1PodOS;
  hostUsers?: boolean;
  schedulingGates?: CoreV1PodSchedulingGate[];
  resourceClaims?: CoreV1PodResourceClaim[];
};

export type CoreV1PodStatus = {
  phase?: string;
  conditions?: CoreV1PodCondition[];
  message?: string;
  reason?: string;
  nominatedNodeName?: string;
  hostIP?: string;
  hostIPs?: CoreV1HostIP[];
  podIP?: string;
  podIPs?: CoreV1PodIP[];
  startTime?: string;
  initContainerStatuses?: CoreV1ContainerStatus[];
  containerStatuses?: CoreV1ContainerStatus[];
  qosClass?: string;
  ephemeralContainerStatuses?: CoreV1ContainerStatus[];
  resize?: string;
  resourceClaimStatuses?: CoreV1PodResourceClaimStatus[];
};

export type CoreV1PodTemplate = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  template?: CoreV1PodTemplateSpec;
};

export type CoreV1PodTemplateList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: CoreV1PodTemplate[] | null;
};

export type CoreV1PodTemplateSpec = {
  metadata?: MetaV1ObjectMeta;
  spec?: CoreV1PodSpec;
};

export type CoreV1PortStatus = {
  port?: number;
  protocol?: string;
  error?: string;
};

export type CoreV1PortworxVolumeSource = {
  volumeID?: string;
  fsType?: string;
  readOnly?: boolean;
};

export type CoreV1PreferredSchedulingTerm = {
  weight?: number;
  preference?: CoreV1NodeSelectorTerm;
};

export type CoreV1Probe = {
  exec?: CoreV1ExecAction;
  httpGet?: CoreV1HTTPGetAction;
  tcpSocket?: CoreV1TCPSocketAction;
  grpc?: CoreV1GRPCAction;
  initialDelaySeconds?: number;
  timeoutSeconds?: number;
  periodSeconds?: number;
  successThreshold?: number;
  failureThreshold?: number;
  terminationGracePeriodSeconds?: number | bigint;
};

export type CoreV1ProbeHandler = {
  exec?: CoreV1ExecAction;
  httpGet?: CoreV1HTTPGetAction;
  tcpSocket?: CoreV1TCPSocketAction;
  grpc?: CoreV1GRPCAction;
};

export type CoreV1ProjectedVolumeSource = {
  sources?: CoreV1VolumeProjection[] | null;
  defaultMode?: number;
};

export type CoreV1QuobyteVolumeSource = {
  registry?: string;
  volume?: string;
  readOnly?: boolean;
  user?: string;
  group?: string;
  tenant?: string;
};

export type CoreV1RBDPersistentVolumeSource = {
  monitors?: string[] | null;
  image?: string;
  fsType?: string;
  pool?: string;
  user?: string;
  keyring?: string;
  secretRef?: CoreV1SecretReference;
  readOnly?: boolean;
};

export type CoreV1RBDVolumeSource = {
  monitors?: string[] | null;
  image?: string;
  fsType?: string;
  pool?: string;
  user?: string;
  keyring?: string;
  secretRef?: CoreV1LocalObjectReference;
  readOnly?: boolean;
};

export type CoreV1ReplicationController = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: CoreV1ReplicationControllerSpec;
  status?: CoreV1ReplicationControllerStatus;
};

export type CoreV1ReplicationControllerCondition = {
  type?: string;
  status?: string;
  lastTransitionTime?: string | null;
  reason?: string;
  message?: string;
};

export type CoreV1ReplicationControllerList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: CoreV1ReplicationController[] | null;
};

export type CoreV1ReplicationControllerSpec = {
  replicas?: number;
  minReadySeconds?: number;
  selector?: Record<string, string>;
  template?: CoreV1PodTemplateSpec;
};

export type CoreV1ReplicationControllerStatus = {
  replicas?: number;
  fullyLabeledReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  observedGeneration?: number | bigint;
  conditions?: CoreV1ReplicationControllerCondition[];
};

export type CoreV1ResourceClaim = {
  name?: string;
  request?: string;
};

export type CoreV1ResourceFieldSelector = {
  containerName?: string;
  resource?: string;
  divisor?: string;
};

export type CoreV1ResourceHealth = {
  resourceID?: string;
  health?: string;
};

export type CoreV1ResourceQuota = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: CoreV1ResourceQuotaSpec;
  status?: CoreV1ResourceQuotaStatus;
};

export type CoreV1ResourceQuotaList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: CoreV1ResourceQuota[] | null;
};

export type CoreV1ResourceQuotaSpec = {
  hard?: Record<string, string>;
  scopes?: string[];
  scopeSelector?: CoreV1ScopeSelector;
};

export type CoreV1ResourceQuotaStatus = {
  hard?: Record<string, string>;
  used?: Record<string, string>;
};

export type CoreV1ResourceRequirements = {
  limits?: Record<string, string>;
  requests?: Record<string, string>;
  claims?: CoreV1ResourceClaim[];
};

export type CoreV1ResourceStatus = {
  name?: string;
  resources?: CoreV1ResourceHealth[];
};

export type CoreV1SELinuxOptions = {
  user?: string;
  role?: string;
  type?: string;
  level?: string;
};

export type CoreV1ScaleIOPersistentVolumeSource = {
  gateway?: string;
  system?: string;
  secretRef?: CoreV1SecretReference | null;
  sslEnabled?: boolean;
  protectionDomain?: string;
  storagePool?: string;
  storageMode?: string;
  volumeName?: string;
  fsType?: string;
  readOnly?: boolean;
};

export type CoreV1ScaleIOVolumeSource = {
  gateway?: string;
  system?: string;
  secretRef?: CoreV1LocalObjectReference | null;
  sslEnabled?: boolean;
  protectionDomain?: string;
  storagePool?: string;
  storageMode?: string;
  volumeName?: string;
  fsType?: string;
  readOnly?: boolean;
};

export type CoreV1ScopeSelector = {
  matchExpressions?: CoreV1ScopedResourceSelectorRequirement[];
};

export type CoreV1ScopedResourceSelectorRequirement = {
  scopeName?: string;
  operator?: string;
  values?: string[];
};

export type CoreV1SeccompProfile = {
  type?: string;
  localhostProfile?: string;
};

export type CoreV1Secret = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  immutable?: boolean;
  data?: Record<string, string | null>;
  stringData?: Record<string, string>;
  type?: string;
};

export type CoreV1SecretEnvSource = {
  name?: string;
  optional?: boolean;
};

export type CoreV1SecretKeySelector = {
  name?: string;
  key?: string;
  optional?: boolean;
};

export type CoreV1SecretList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: CoreV1Secret[] | null;
};

export type CoreV1SecretProjection = {
  name?: string;
  items?: CoreV1KeyToPath[];
  optional?: boolean;
};

export type CoreV1SecretReference = {
  name?: string;
  namespace?: string;
};

export type CoreV1SecretVolumeSource = {
  secretName?: string;
  items?: CoreV1KeyToPath[];
  defaultMode?: number;
  optional?: boolean;
};

export type CoreV1SecurityContext = {
  capabilities?: CoreV1Capabilities;
  privileged?: boolean;
  seLinuxOptions?: CoreV1SELinuxOptions;
  windowsOptions?: CoreV1WindowsSecurityContextOptions;
  runAsUser?: number | bigint;
  runAsGroup?: number | bigint;
  runAsNonRoot?: boolean;
  readOnlyRootFilesystem?: boolean;
  allowPrivilegeEscalation?: boolean;
  procMount?: string;
  seccompProfile?: CoreV1SeccompProfile;
  appArmorProfile?: CoreV1AppArmorProfile;
};

export type CoreV1Service = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: CoreV1ServiceSpec;
  status?: CoreV1ServiceStatus;
};

export type CoreV1ServiceAccount = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  secrets?: CoreV1ObjectReference[];
  imagePullSecrets?: CoreV1LocalObjectReference[];
  automountServiceAccountToken?: boolean;
};

export type CoreV1ServiceAccountList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: CoreV1ServiceAccount[] | null;
};

export type CoreV1ServiceAccountTokenProjection = {
  audience?: string;
  expirationSeconds?: number | bigint;
  path?: string;
};

export type CoreV1ServiceList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: CoreV1Service[] | null;
};

export type CoreV1ServicePort = {
  name?: string;
  protocol?: string;
  appProtocol?: string;
  port?: number;
  targetPort?: number | string;
  nodePort?: number;
};

export type CoreV1ServiceProxyOptions = {
  apiVersion?: string;
  kind?: string;
  path?: string;
};

export type CoreV1ServiceSpec = {
  ports?: CoreV1ServicePort[];
  selector?: Record<string, string>;
  clusterIP?: string;
  clusterIPs?: string[];
  type?: string;
  externalIPs?: string[];
  sessionAffinity?: string;
  loadBalancerIP?: string;
  loadBalancerSourceRanges?: string[];
  externalName?: string;
  externalTrafficPolicy?: string;
  healthCheckNodePort?: number;
  publishNotReadyAddresses?: boolean;
  sessionAffinityConfig?: CoreV1SessionAffinityConfig;
  ipFamilies?: string[];
  ipFamilyPolicy?: string;
  allocateLoadBalancerNodePorts?: boolean;
  loadBalancerClass?: string;
  internalTrafficPolicy?: string;
  trafficDistribution?: string;
};

export type CoreV1ServiceStatus = {
  loadBalancer?: CoreV1LoadBalancerStatus;
  conditions?: MetaV1Condition[];
};

export type CoreV1SessionAffinityConfig = {
  clientIP?: CoreV1ClientIPConfig;
};

export type CoreV1SleepAction = {
  seconds?: number | bigint;
};

export type CoreV1StorageOSPersistentVolumeSource = {
  volumeName?: string;
  volumeNamespace?: string;
  fsType?: string;
  readOnly?: boolean;
  secretRef?: CoreV1ObjectReference;
};

export type CoreV1StorageOSVolumeSource = {
  volumeName?: string;
  volumeNamespace?: string;
  fsType?: string;
  readOnly?: boolean;
  secretRef?: CoreV1LocalObjectReference;
};

export type CoreV1Sysctl = {
  name?: string;
  value?: string;
};

export type CoreV1TCPSocketAction = {
  port?: number | string;
  host?: string;
};

export type CoreV1Taint = {
  key?: string;
  value?: string;
  effect?: string;
  timeAdded?: string;
};

export type CoreV1Toleration = {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
  tolerationSeconds?: number | bigint;
};

export type CoreV1TopologySelectorLabelRequirement = {
  key?: string;
  values?: string[] | null;
};

export type CoreV1TopologySelectorTerm = {
  matchLabelExpressions?: CoreV1TopologySelectorLabelRequirement[];
};

export type CoreV1TopologySpreadConstraint = {
  maxSkew?: number;
  topologyKey?: string;
  whenUnsatisfiable?: string;
  labelSelector?: MetaV1LabelSelector;
  minDomains?: number;
  nodeAffinityPolicy?: string;
  nodeTaintsPolicy?: string;
  matchLabelKeys?: string[];
};

export type CoreV1TypedLocalObjectReference = {
  apiGroup?: string | null;
  kind?: string;
  name?: string;
};

export type CoreV1TypedObjectReference = {
  apiGroup?: string | null;
  kind?: string;
  name?: string;
  namespace?: string;
};

export type CoreV1Volume = {
  name?: string;
  hostPath?: CoreV1HostPathVolumeSource;
  emptyDir?: CoreV1EmptyDirVolumeSource;
  gcePersistentDisk?: CoreV1GCEPersistentDiskVolumeSource;
  awsElasticBlockStore?: CoreV1AWSElasticBlockStoreVolumeSource;
  gitRepo?: CoreV1GitRepoVolumeSource;
  secret?: CoreV1SecretVolumeSource;
  nfs?: CoreV1NFSVolumeSource;
  iscsi?: CoreV1ISCSIVolumeSource;
  glusterfs?: CoreV1GlusterfsVolumeSource;
  persistentVolumeClaim?: CoreV1PersistentVolumeClaimVolumeSource;
  rbd?: CoreV1RBDVolumeSource;
  flexVolume?: CoreV1FlexVolumeSource;
  cinder?: CoreV1CinderVolumeSource;
  cephfs?: CoreV1CephFSVolumeSource;
  flocker?: CoreV1FlockerVolumeSource;
  downwardAPI?: CoreV1DownwardAPIVolumeSource;
  fc?: CoreV1FCVolumeSource;
  azureFile?: CoreV1AzureFileVolumeSource;
  configMap?: CoreV1ConfigMapVolumeSource;
  vsphereVolume?: CoreV1VsphereVirtualDiskVolumeSource;
  quobyte?: CoreV1QuobyteVolumeSource;
  azureDisk?: CoreV1AzureDiskVolumeSource;
  photonPersistentDisk?: CoreV1PhotonPersistentDiskVolumeSource;
  projected?: CoreV1ProjectedVolumeSource;
  portworxVolume?: CoreV1PortworxVolumeSource;
  scaleIO?: CoreV1ScaleIOVolumeSource;
  storageos?: CoreV1StorageOSVolumeSource;
  csi?: CoreV1CSIVolumeSource;
  ephemeral?: CoreV1EphemeralVolumeSource;
  image?: CoreV1ImageVolumeSource;
};

export type CoreV1VolumeDevice = {
  name?: string;
  devicePath?: string;
};

export type CoreV1VolumeMount = {
  name?: string;
  readOnly?: boolean;
  recursiveReadOnly?: string;
  mountPath?: string;
  subPath?: string;
  mountPropagation?: string;
  subPathExpr?: string;
};

export type CoreV1VolumeMountStatus = {
  name?: string;
  mountPath?: string;
  readOnly?: boolean;
  recursiveReadOnly?: string;
};

export type CoreV1VolumeNodeAffinity = {
  required?: CoreV1NodeSelector;
};

export type CoreV1VolumeProjection = {
  secret?: CoreV1SecretProjection;
  downwardAPI?: CoreV1DownwardAPIProjection;
  configMap?: CoreV1ConfigMapProjection;
  serviceAccountToken?: CoreV1ServiceAccountTokenProjection;
  clusterTrustBundle?: CoreV1ClusterTrustBundleProjection;
};

export type CoreV1VolumeResourceRequirements = {
  limits?: Record<string, string>;
  requests?: Record<string, string>;
};

export type CoreV1VolumeSource = {
  hostPath?: CoreV1HostPathVolumeSource;
  emptyDir?: CoreV1EmptyDirVolumeSource;
  gcePersistentDisk?: CoreV1GCEPersistentDiskVolumeSource;
  awsElasticBlockStore?: CoreV1AWSElasticBlockStoreVolumeSource;
  gitRepo?: CoreV1GitRepoVolumeSource;
  secret?: CoreV1SecretVolumeSource;
  nfs?: CoreV1NFSVolumeSource;
  iscsi?: CoreV1ISCSIVolumeSource;
  glusterfs?: CoreV1GlusterfsVolumeSource;
  persistentVolumeClaim?: CoreV1PersistentVolumeClaimVolumeSource;
  rbd?: CoreV1RBDVolumeSource;
  flexVolume?: CoreV1FlexVolumeSource;
  cinder?: CoreV1CinderVolumeSource;
  cephfs?: CoreV1CephFSVolumeSource;
  flocker?: CoreV1FlockerVolumeSource;
  downwardAPI?: CoreV1DownwardAPIVolumeSource;
  fc?: CoreV1FCVolumeSource;
  azureFile?: CoreV1AzureFileVolumeSource;
  configMap?: CoreV1ConfigMapVolumeSource;
  vsphereVolume?: CoreV1VsphereVirtualDiskVolumeSource;
  quobyte?: CoreV1QuobyteVolumeSource;
  azureDisk?: CoreV1AzureDiskVolumeSource;
  photonPersistentDisk?: CoreV1PhotonPersistentDiskVolumeSource;
  projected?: CoreV1ProjectedVolumeSource;
  portworxVolume?: CoreV1PortworxVolumeSource;
  scaleIO?: CoreV1ScaleIOVolumeSource;
  storageos?: CoreV1StorageOSVolumeSource;
  csi?: CoreV1CSIVolumeSource;
  ephemeral?: CoreV1EphemeralVolumeSource;
  image?: CoreV1ImageVolumeSource;
};

export type CoreV1VsphereVirtualDiskVolumeSource = {
  volumePath?: string;
  fsType?: string;
  storagePolicyName?: string;
  storagePolicyID?: string;
};

export type CoreV1WeightedPodAffinityTerm = {
  weight?: number;
  podAffinityTerm?: CoreV1PodAffinityTerm;
};

export type CoreV1WindowsSecurityContextOptions = {
  gmsaCredentialSpecName?: string;
  gmsaCredentialSpec?: string;
  runAsUserName?: string;
  hostProcess?: boolean;
};

export type DiscoveryV1Endpoint = {
  addresses?: string[] | null;
  conditions?: DiscoveryV1EndpointConditions;
  hostname?: string;
  targetRef?: CoreV1ObjectReference;
  deprecatedTopology?: Record<string, string>;
  nodeName?: string;
  zone?: string;
  hints?: DiscoveryV1EndpointHints;
};

export type DiscoveryV1EndpointConditions = {
  ready?: boolean;
  serving?: boolean;
  terminating?: boolean;
};

export type DiscoveryV1EndpointHints = {
  forZones?: DiscoveryV1ForZone[];
};

export type DiscoveryV1EndpointPort = {
  name?: string;
  protocol?: string;
  port?: number;
  appProtocol?: string;
};

export type DiscoveryV1EndpointSlice = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  addressType?: string;
  endpoints?: DiscoveryV1Endpoint[] | null;
  ports?: DiscoveryV1EndpointPort[] | null;
};

export type DiscoveryV1EndpointSliceList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: DiscoveryV1EndpointSlice[] | null;
};

export type DiscoveryV1ForZone = {
  name?: string;
};

export type EventsV1Event = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  eventTime?: string | null;
  series?: EventsV1EventSeries;
  reportingController?: string;
  reportingInstance?: string;
  action?: string;
  reason?: string;
  regarding?: CoreV1ObjectReference;
  related?: CoreV1ObjectReference;
  note?: string;
  type?: string;
  deprecatedSource?: CoreV1EventSource;
  deprecatedFirstTimestamp?: string | null;
  deprecatedLastTimestamp?: string | null;
  deprecatedCount?: number;
};

export type EventsV1EventList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: EventsV1Event[] | null;
};

export type EventsV1EventSeries = {
  count?: number;
  lastObservedTime?: string | null;
};

export type FlowcontrolV1ExemptPriorityLevelConfiguration = {
  nominalConcurrencyShares?: number;
  lendablePercent?: number;
};

export type FlowcontrolV1FlowDistinguisherMethod = {
  type?: string;
};

export type FlowcontrolV1FlowSchema = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: FlowcontrolV1FlowSchemaSpec;
  status?: FlowcontrolV1FlowSchemaStatus;
};

export type FlowcontrolV1FlowSchemaCondition = {
  type?: string;
  status?: string;
  lastTransitionTime?: string | null;
  reason?: string;
  message?: string;
};

export type FlowcontrolV1FlowSchemaList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: FlowcontrolV1FlowSchema[] | null;
};

export type FlowcontrolV1FlowSchemaSpec = {
  priorityLevelConfiguration?: FlowcontrolV1PriorityLevelConfigurationReference;
  matchingPrecedence?: number;
  distinguisherMethod?: FlowcontrolV1FlowDistinguisherMethod;
  rules?: FlowcontrolV1PolicyRulesWithSubjects[];
};

export type FlowcontrolV1FlowSchemaStatus = {
  conditions?: FlowcontrolV1FlowSchemaCondition[];
};

export type FlowcontrolV1GroupSubject = {
  name?: string;
};

export type FlowcontrolV1LimitResponse = {
  type?: string;
  queuing?: FlowcontrolV1QueuingConfiguration;
};

export type FlowcontrolV1LimitedPriorityLevelConfiguration = {
  nominalConcurrencyShares?: number | null;
  limitResponse?: FlowcontrolV1LimitResponse;
  lendablePercent?: number;
  borrowingLimitPercent?: number;
};

export type FlowcontrolV1NonResourcePolicyRule = {
  verbs?: string[] | null;
  nonResourceURLs?: string[] | null;
};

export type FlowcontrolV1PolicyRulesWithSubjects = {
  subjects?: FlowcontrolV1Subject[] | null;
  resourceRules?: FlowcontrolV1ResourcePolicyRule[];
  nonResourceRules?: FlowcontrolV1NonResourcePolicyRule[];
};

export type FlowcontrolV1PriorityLevelConfiguration = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: FlowcontrolV1PriorityLevelConfigurationSpec;
  status?: FlowcontrolV1PriorityLevelConfigurationStatus;
};

export type FlowcontrolV1PriorityLevelConfigurationCondition = {
  type?: string;
  status?: string;
  lastTransitionTime?: string | null;
  reason?: string;
  message?: string;
};

export type FlowcontrolV1PriorityLevelConfigurationList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: FlowcontrolV1PriorityLevelConfiguration[] | null;
};

export type FlowcontrolV1PriorityLevelConfigurationReference = {
  name?: string;
};

export type FlowcontrolV1PriorityLevelConfigurationSpec = {
  type?: string;
  limited?: FlowcontrolV1LimitedPriorityLevelConfiguration;
  exempt?: FlowcontrolV1ExemptPriorityLevelConfiguration;
};

export type FlowcontrolV1PriorityLevelConfigurationStatus = {
  conditions?: FlowcontrolV1PriorityLevelConfigurationCondition[];
};

export type FlowcontrolV1QueuingConfiguration = {
  queues?: number;
  handSize?: number;
  queueLengthLimit?: number;
};

export type FlowcontrolV1ResourcePolicyRule = {
  verbs?: string[] | null;
  apiGroups?: string[] | null;
  resources?: string[] | null;
  clusterScope?: boolean;
  namespaces?: string[] | null;
};

export type FlowcontrolV1ServiceAccountSubject = {
  namespace?: string;
  name?: string;
};

export type FlowcontrolV1Subject = {
  kind?: string;
  user?: FlowcontrolV1UserSubject;
  group?: FlowcontrolV1GroupSubject;
  serviceAccount?: FlowcontrolV1ServiceAccountSubject;
};

export type FlowcontrolV1UserSubject = {
  name?: string;
};

export type FlowcontrolV1beta3ExemptPriorityLevelConfiguration = {
  nominalConcurrencyShares?: number;
  lendablePercent?: number;
};

export type FlowcontrolV1beta3FlowDistinguisherMethod = {
  type?: string;
};

export type FlowcontrolV1beta3FlowSchema = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: FlowcontrolV1beta3FlowSchemaSpec;
  status?: FlowcontrolV1beta3FlowSchemaStatus;
};

export type FlowcontrolV1beta3FlowSchemaCondition = {
  type?: string;
  status?: string;
  lastTransitionTime?: string | null;
  reason?: string;
  message?: string;
};

export type FlowcontrolV1beta3FlowSchemaList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: FlowcontrolV1beta3FlowSchema[] | null;
};

export type FlowcontrolV1beta3FlowSchemaSpec = {
  priorityLevelConfiguration?: FlowcontrolV1beta3PriorityLevelConfigurationReference;
  matchingPrecedence?: number;
  distinguisherMethod?: FlowcontrolV1beta3FlowDistinguisherMethod;
  rules?: FlowcontrolV1beta3PolicyRulesWithSubjects[];
};

export type FlowcontrolV1beta3FlowSchemaStatus = {
  conditions?: FlowcontrolV1beta3FlowSchemaCondition[];
};

export type FlowcontrolV1beta3GroupSubject = {
  name?: string;
};

export type FlowcontrolV1beta3LimitResponse = {
  type?: string;
  queuing?: FlowcontrolV1beta3QueuingConfiguration;
};

export type FlowcontrolV1beta3LimitedPriorityLevelConfiguration = {
  nominalConcurrencyShares?: number;
  limitResponse?: FlowcontrolV1beta3LimitResponse;
  lendablePercent?: number;
  borrowingLimitPercent?: number;
};

export type FlowcontrolV1beta3NonResourcePolicyRule = {
  verbs?: string[] | null;
  nonResourceURLs?: string[] | null;
};

export type FlowcontrolV1beta3PolicyRulesWithSubjects = {
  subjects?: FlowcontrolV1beta3Subject[] | null;
  resourceRules?: FlowcontrolV1beta3ResourcePolicyRule[];
  nonResourceRules?: FlowcontrolV1beta3NonResourcePolicyRule[];
};

export type FlowcontrolV1beta3PriorityLevelConfiguration = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: FlowcontrolV1beta3PriorityLevelConfigurationSpec;
  status?: FlowcontrolV1beta3PriorityLevelConfigurationStatus;
};

export type FlowcontrolV1beta3PriorityLevelConfigurationCondition = {
  type?: string;
  status?: string;
  lastTransitionTime?: string | null;
  reason?: string;
  message?: string;
};

export type FlowcontrolV1beta3PriorityLevelConfigurationList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: FlowcontrolV1beta3PriorityLevelConfiguration[] | null;
};

export type FlowcontrolV1beta3PriorityLevelConfigurationReference = {
  name?: string;
};

export type FlowcontrolV1beta3PriorityLevelConfigurationSpec = {
  type?: string;
  limited?: FlowcontrolV1beta3LimitedPriorityLevelConfiguration;
  exempt?: FlowcontrolV1beta3ExemptPriorityLevelConfiguration;
};

export type FlowcontrolV1beta3PriorityLevelConfigurationStatus = {
  conditions?: FlowcontrolV1beta3PriorityLevelConfigurationCondition[];
};

export type FlowcontrolV1beta3QueuingConfiguration = {
  queues?: number;
  handSize?: number;
  queueLengthLimit?: number;
};

export type FlowcontrolV1beta3ResourcePolicyRule = {
  verbs?: string[] | null;
  apiGroups?: string[] | null;
  resources?: string[] | null;
  clusterScope?: boolean;
  namespaces?: string[] | null;
};

export type FlowcontrolV1beta3ServiceAccountSubject = {
  namespace?: string;
  name?: string;
};

export type FlowcontrolV1beta3Subject = {
  kind?: string;
  user?: FlowcontrolV1beta3UserSubject;
  group?: FlowcontrolV1beta3GroupSubject;
  serviceAccount?: FlowcontrolV1beta3ServiceAccountSubject;
};

export type FlowcontrolV1beta3UserSubject = {
  name?: string;
};

export type MetaV1APIGroup = {
  apiVersion?: string;
  kind?: string;
  name?: string;
  versions?: MetaV1GroupVersionForDiscovery[] | null;
  preferredVersion?: MetaV1GroupVersionForDiscovery;
  serverAddressByClientCIDRs?: MetaV1ServerAddressByClientCIDR[];
};

export type MetaV1APIGroupList = {
  apiVersion?: string;
  kind?: string;
  groups?: MetaV1APIGroup[] | null;
};

export type MetaV1APIResource = {
  name?: string;
  singularName?: string;
  namespaced?: boolean;
  group?: string;
  version?: string;
  kind?: string;
  verbs?: string[] | null;
  shortNames?: string[];
  categories?: string[];
  storageVersionHash?: string;
};

export type MetaV1APIResourceList = {
  apiVersion?: string;
  kind?: string;
  groupVersion?: string;
  resources?: MetaV1APIResource[] | null;
};

export type MetaV1APIVersions = {
  apiVersion?: string;
  kind?: string;
  versions?: string[] | null;
  serverAddressByClientCIDRs?: MetaV1ServerAddressByClientCIDR[] | null;
};

export type MetaV1Condition = {
  type?: string;
  status?: string;
  observedGeneration?: number | bigint;
  lastTransitionTime?: string | null;
  reason?: string;
  message?: string;
};

export type MetaV1CreateOptions = {
  apiVersion?: string;
  kind?: string;
  dryRun?: string[];
  fieldManager?: string;
  fieldValidation?: string;
};

export type MetaV1DeleteOptions = {
  apiVersion?: string;
  kind?: string;
  gracePeriodSeconds?: number | bigint;
  preconditions?: MetaV1Preconditions;
  orphanDependents?: boolean;
  propagationPolicy?: string;
  dryRun?: string[];
};

export type MetaV1FieldSelectorRequirement = {
  key?: string;
  operator?: string;
  values?: string[];
};

export type MetaV1GroupVersionForDiscovery = {
  groupVersion?: string;
  version?: string;
};

export type MetaV1LabelSelector = {
  matchLabels?: Record<string, string>;
  matchExpressions?: MetaV1LabelSelectorRequirement[];
};

export type MetaV1LabelSelectorRequirement = {
  key?: string;
  operator?: string;
  values?: string[];
};

export type MetaV1ListMeta = {
  selfLink?: string;
  resourceVersion?: string;
  continue?: string;
  remainingItemCount?: number | bigint;
};

export type MetaV1ListOptions = {
  apiVersion?: string;
  kind?: string;
  labelSelector?: string;
  fieldSelector?: string;
  watch?: boolean;
  allowWatchBookmarks?: boolean;
  resourceVersion?: string;
  resourceVersionMatch?: string;
  timeoutSeconds?: number | bigint;
  limit?: number | bigint;
  continue?: string;
  sendInitialEvents?: boolean;
};

export type MetaV1ManagedFieldsEntry = {
  manager?: string;
  operation?: string;
  apiVersion?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: JsonValue;
  subresource?: string;
};

export type MetaV1ObjectMeta = {
  name?: string;
  generateName?: string;
  namespace?: string;
  selfLink?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number | bigint;
  creationTimestamp?: string | null;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number | bigint;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: MetaV1OwnerReference[];
  finalizers?: string[];
  managedFields?: MetaV1ManagedFieldsEntry[];
};

export type MetaV1OwnerReference = {
  apiVersion?: string;
  kind?: string;
  name?: string;
  uid?: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
};

export type MetaV1PartialObjectMetadata = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
};

export type MetaV1PartialObjectMetadataList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: MetaV1PartialObjectMetadata[] | null;
};

export type MetaV1PatchOptions = {
  apiVersion?: string;
  kind?: string;
  dryRun?: string[];
  force?: boolean;
  fieldManager?: string;
  fieldValidation?: string;
};

export type MetaV1Preconditions = {
  uid?: string;
  resourceVersion?: string;
};

export type MetaV1ServerAddressByClientCIDR = {
  clientCIDR?: string;
  serverAddress?: string;
};

export type MetaV1Status = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  status?: string;
  message?: string;
  reason?: string;
  details?: MetaV1StatusDetails;
  code?: number;
};

export type MetaV1StatusCause = {
  reason?: string;
  message?: string;
  field?: string;
};

export type MetaV1StatusDetails = {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: MetaV1StatusCause[];
  retryAfterSeconds?: number;
};

export type MetaV1TypeMeta = {
  kind?: string;
  apiVersion?: string;
};

export type MetaV1UpdateOptions = {
  apiVersion?: string;
  kind?: string;
  dryRun?: string[];
  fieldManager?: string;
  fieldValidation?: string;
};

export type MetaV1WatchEvent = {
  type?: string;
  object?: JsonValue;
};

export type NetworkingV1HTTPIngressPath = {
  path?: string;
  pathType?: string | null;
  backend?: NetworkingV1IngressBackend;
};

export type NetworkingV1HTTPIngressRuleValue = {
  paths?: NetworkingV1HTTPIngressPath[] | null;
};

export type NetworkingV1IPBlock = {
  cidr?: string;
  except?: string[];
};

export type NetworkingV1Ingress = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: NetworkingV1IngressSpec;
  status?: NetworkingV1IngressStatus;
};

export type NetworkingV1IngressBackend = {
  service?: NetworkingV1IngressServiceBackend;
  resource?: CoreV1TypedLocalObjectReference;
};

export type NetworkingV1IngressClass = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: NetworkingV1IngressClassSpec;
};

export type NetworkingV1IngressClassList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: NetworkingV1IngressClass[] | null;
};

export type NetworkingV1IngressClassParametersReference = {
  apiGroup?: string;
  kind?: string;
  name?: string;
  scope?: string | null;
  namespace?: string;
};

export type NetworkingV1IngressClassSpec = {
  controller?: string;
  parameters?: NetworkingV1IngressClassParametersReference;
};

export type NetworkingV1IngressList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: NetworkingV1Ingress[] | null;
};

export type NetworkingV1IngressLoadBalancerIngress = {
  ip?: string;
  hostname?: string;
  ports?: NetworkingV1IngressPortStatus[];
};

export type NetworkingV1IngressLoadBalancerStatus = {
  ingress?: NetworkingV1IngressLoadBalancerIngress[];
};

export type NetworkingV1IngressPortStatus = {
  port?: number;
  protocol?: string;
  error?: string;
};

export type NetworkingV1IngressRule = {
  host?: string;
  http?: NetworkingV1HTTPIngressRuleValue;
};

export type NetworkingV1IngressRuleValue = {
  http?: NetworkingV1HTTPIngressRuleValue;
};

export type NetworkingV1IngressServiceBackend = {
  name?: string;
  port?: NetworkingV1ServiceBackendPort;
};

export type NetworkingV1IngressSpec = {
  ingressClassName?: string;
  defaultBackend?: NetworkingV1IngressBackend;
  tls?: NetworkingV1IngressTLS[];
  rules?: NetworkingV1IngressRule[];
};

export type NetworkingV1IngressStatus = {
  loadBalancer?: NetworkingV1IngressLoadBalancerStatus;
};

export type NetworkingV1IngressTLS = {
  hosts?: string[];
  secretName?: string;
};

export type NetworkingV1NetworkPolicy = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: NetworkingV1NetworkPolicySpec;
};

export type NetworkingV1NetworkPolicyEgressRule = {
  ports?: NetworkingV1NetworkPolicyPort[];
  to?: NetworkingV1NetworkPolicyPeer[];
};

export type NetworkingV1NetworkPolicyIngressRule = {
  ports?: NetworkingV1NetworkPolicyPort[];
  from?: NetworkingV1NetworkPolicyPeer[];
};

export type NetworkingV1NetworkPolicyList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: NetworkingV1NetworkPolicy[] | null;
};

export type NetworkingV1NetworkPolicyPeer = {
  podSelector?: MetaV1LabelSelector;
  namespaceSelector?: MetaV1LabelSelector;
  ipBlock?: NetworkingV1IPBlock;
};

export type NetworkingV1NetworkPolicyPort = {
  protocol?: string;
  port?: number | string;
  endPort?: number;
};

export type NetworkingV1NetworkPolicySpec = {
  podSelector?: MetaV1LabelSelector;
  ingress?: NetworkingV1NetworkPolicyIngressRule[];
  egress?: NetworkingV1NetworkPolicyEgressRule[];
  policyTypes?: string[];
};

export type NetworkingV1ServiceBackendPort = {
  name?: string;
  number?: number;
};

export type NodeV1Overhead = {
  podFixed?: Record<string, string>;
};

export type NodeV1RuntimeClass = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  handler?: string;
  overhead?: NodeV1Overhead;
  scheduling?: NodeV1Scheduling;
};

export type NodeV1RuntimeClassList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: NodeV1RuntimeClass[] | null;
};

export type NodeV1Scheduling = {
  nodeSelector?: Record<string, string>;
  tolerations?: CoreV1Toleration[];
};

export type PolicyV1Eviction = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  deleteOptions?: MetaV1DeleteOptions;
};

export type PolicyV1PodDisruptionBudget = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: PolicyV1PodDisruptionBudgetSpec;
  status?: PolicyV1PodDisruptionBudgetStatus;
};

export type PolicyV1PodDisruptionBudgetList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: PolicyV1PodDisruptionBudget[] | null;
};

export type PolicyV1PodDisruptionBudgetSpec = {
  minAvailable?: number | string;
  selector?: MetaV1LabelSelector;
  maxUnavailable?: number | string;
  unhealthyPodEvictionPolicy?: string;
};

export type PolicyV1PodDisruptionBudgetStatus = {
  observedGeneration?: number | bigint;
  disruptedPods?: Record<string, string | null>;
  disruptionsAllowed?: number;
  currentHealthy?: number;
  desiredHealthy?: number;
  expectedPods?: number;
  conditions?: MetaV1Condition[];
};

export type RbacV1AggregationRule = {
  clusterRoleSelectors?: MetaV1LabelSelector[];
};

export type RbacV1ClusterRole = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  rules?: RbacV1PolicyRule[] | null;
  aggregationRule?: RbacV1AggregationRule;
};

export type RbacV1ClusterRoleBinding = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  subjects?: RbacV1Subject[];
  roleRef?: RbacV1RoleRef;
};

export type RbacV1ClusterRoleBindingList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: RbacV1ClusterRoleBinding[] | null;
};

export type RbacV1ClusterRoleList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: RbacV1ClusterRole[] | null;
};

export type RbacV1PolicyRule = {
  verbs?: string[] | null;
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
};

export type RbacV1Role = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  rules?: RbacV1PolicyRule[] | null;
};

export type RbacV1RoleBinding = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  subjects?: RbacV1Subject[];
  roleRef?: RbacV1RoleRef;
};

export type RbacV1RoleBindingList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: RbacV1RoleBinding[] | null;
};

export type RbacV1RoleList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: RbacV1Role[] | null;
};

export type RbacV1RoleRef = {
  apiGroup?: string;
  kind?: string;
  name?: string;
};

export type RbacV1Subject = {
  kind?: string;
  apiGroup?: string;
  name?: string;
  namespace?: string;
};

export type ResourceV1alpha3AllocationResult = {
  devices?: ResourceV1alpha3DeviceAllocationResult;
  nodeSelector?: CoreV1NodeSelector;
  controller?: string;
};

export type ResourceV1alpha3BasicDevice = {
  attributes?: Record<string, ResourceV1alpha3DeviceAttribute>;
  capacity?: Record<string, string>;
};

export type ResourceV1alpha3CELDeviceSelector = {
  expression?: string;
};

export type ResourceV1alpha3Device = {
  name?: string;
  basic?: ResourceV1alpha3BasicDevice;
};

export type ResourceV1alpha3DeviceAllocationConfiguration = {
  source?: string;
  requests?: string[];
  opaque?: ResourceV1alpha3OpaqueDeviceConfiguration;
};

export type ResourceV1alpha3DeviceAllocationResult = {
  results?: ResourceV1alpha3DeviceRequestAllocationResult[];
  config?: ResourceV1alpha3DeviceAllocationConfiguration[];
};

export type ResourceV1alpha3DeviceAttribute = {
  int?: number | bigint;
  bool?: boolean;
  string?: string;
  version?: string;
};

export type ResourceV1alpha3DeviceClaim = {
  requests?: ResourceV1alpha3DeviceRequest[] | null;
  constraints?: ResourceV1alpha3DeviceConstraint[];
  config?: ResourceV1alpha3DeviceClaimConfiguration[];
};

export type ResourceV1alpha3DeviceClaimConfiguration = {
  requests?: string[];
  opaque?: ResourceV1alpha3OpaqueDeviceConfiguration;
};

export type ResourceV1alpha3DeviceClass = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: ResourceV1alpha3DeviceClassSpec;
};

export type ResourceV1alpha3DeviceClassConfiguration = {
  opaque?: ResourceV1alpha3OpaqueDeviceConfiguration;
};

export type ResourceV1alpha3DeviceClassList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: ResourceV1alpha3DeviceClass[] | null;
};

export type ResourceV1alpha3DeviceClassSpec = {
  selectors?: ResourceV1alpha3DeviceSelector[];
  config?: ResourceV1alpha3DeviceClassConfiguration[];
  suitableNodes?: CoreV1NodeSelector;
};

export type ResourceV1alpha3DeviceConfiguration = {
  opaque?: ResourceV1alpha3OpaqueDeviceConfiguration;
};

export type ResourceV1alpha3DeviceConstraint = {
  requests?: string[];
  matchAttribute?: string;
};

export type ResourceV1alpha3DeviceRequest = {
  name?: string;
  deviceClassName?: string;
  selectors?: ResourceV1alpha3DeviceSelector[];
  allocationMode?: string;
  count?: number | bigint;
  adminAccess?: boolean;
};

export type ResourceV1alpha3DeviceRequestAllocationResult = {
  request?: string;
  driver?: string;
  pool?: string;
  device?: string;
};

export type ResourceV1alpha3DeviceSelector = {
  cel?: ResourceV1alpha3CELDeviceSelector;
};

export type ResourceV1alpha3OpaqueDeviceConfiguration = {
  driver?: string;
  parameters?: JsonValue;
};

export type ResourceV1alpha3PodSchedulingContext = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: ResourceV1alpha3PodSchedulingContextSpec;
  status?: ResourceV1alpha3PodSchedulingContextStatus;
};

export type ResourceV1alpha3PodSchedulingContextList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: ResourceV1alpha3PodSchedulingContext[] | null;
};

export type ResourceV1alpha3PodSchedulingContextSpec = {
  selectedNode?: string;
  potentialNodes?: string[];
};

export type ResourceV1alpha3PodSchedulingContextStatus = {
  resourceClaims?: ResourceV1alpha3ResourceClaimSchedulingStatus[];
};

export type ResourceV1alpha3ResourceClaim = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: ResourceV1alpha3ResourceClaimSpec;
  status?: ResourceV1alpha3ResourceClaimStatus;
};

export type ResourceV1alpha3ResourceClaimConsumerReference = {
  apiGroup?: string;
  resource?: string;
  name?: string;
  uid?: string;
};

export type ResourceV1alpha3ResourceClaimList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: ResourceV1alpha3ResourceClaim[] | null;
};

export type ResourceV1alpha3ResourceClaimSchedulingStatus = {
  name?: string;
  unsuitableNodes?: string[];
};

export type ResourceV1alpha3ResourceClaimSpec = {
  devices?: ResourceV1alpha3DeviceClaim;
  controller?: string;
};

export type ResourceV1alpha3ResourceClaimStatus = {
  allocation?: ResourceV1alpha3AllocationResult;
  reservedFor?: ResourceV1alpha3ResourceClaimConsumerReference[];
  deallocationRequested?: boolean;
};

export type ResourceV1alpha3ResourceClaimTemplate = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: ResourceV1alpha3ResourceClaimTemplateSpec;
};

export type ResourceV1alpha3ResourceClaimTemplateList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: ResourceV1alpha3ResourceClaimTemplate[] | null;
};

export type ResourceV1alpha3ResourceClaimTemplateSpec = {
  metadata?: MetaV1ObjectMeta;
  spec?: ResourceV1alpha3ResourceClaimSpec;
};

export type ResourceV1alpha3ResourcePool = {
  name?: string;
  generation?: number | bigint;
  resourceSliceCount?: number | bigint;
};

export type ResourceV1alpha3ResourceSlice = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: ResourceV1alpha3ResourceSliceSpec;
};

export type ResourceV1alpha3ResourceSliceList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: ResourceV1alpha3ResourceSlice[] | null;
};

export type ResourceV1alpha3ResourceSliceSpec = {
  driver?: string;
  pool?: ResourceV1alpha3ResourcePool;
  nodeName?: string;
  nodeSelector?: CoreV1NodeSelector;
  allNodes?: boolean;
  devices?: ResourceV1alpha3Device[] | null;
};

export type SchedulingV1PriorityClass = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  value?: number;
  globalDefault?: boolean;
  description?: string;
  preemptionPolicy?: string;
};

export type SchedulingV1PriorityClassList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: SchedulingV1PriorityClass[] | null;
};

export type StorageV1CSIDriver = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: StorageV1CSIDriverSpec;
};

export type StorageV1CSIDriverList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: StorageV1CSIDriver[] | null;
};

export type StorageV1CSIDriverSpec = {
  attachRequired?: boolean;
  podInfoOnMount?: boolean;
  volumeLifecycleModes?: string[];
  storageCapacity?: boolean;
  fsGroupPolicy?: string;
  tokenRequests?: StorageV1TokenRequest[];
  requiresRepublish?: boolean;
  seLinuxMount?: boolean;
};

export type StorageV1CSINode = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: StorageV1CSINodeSpec;
};

export type StorageV1CSINodeDriver = {
  name?: string;
  nodeID?: string;
  topologyKeys?: string[] | null;
  allocatable?: StorageV1VolumeNodeResources;
};

export type StorageV1CSINodeList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: StorageV1CSINode[] | null;
};

export type StorageV1CSINodeSpec = {
  drivers?: StorageV1CSINodeDriver[] | null;
};

export type StorageV1CSIStorageCapacity = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  nodeTopology?: MetaV1LabelSelector;
  storageClassName?: string;
  capacity?: string;
  maximumVolumeSize?: string;
};

export type StorageV1CSIStorageCapacityList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: StorageV1CSIStorageCapacity[] | null;
};

export type StorageV1StorageClass = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  provisioner?: string;
  parameters?: Record<string, string>;
  reclaimPolicy?: string;
  mountOptions?: string[];
  allowVolumeExpansion?: boolean;
  volumeBindingMode?: string;
  allowedTopologies?: CoreV1TopologySelectorTerm[];
};

export type StorageV1StorageClassList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: StorageV1StorageClass[] | null;
};

export type StorageV1TokenRequest = {
  audience?: string;
  expirationSeconds?: number | bigint;
};

export type StorageV1VolumeAttachment = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  spec?: StorageV1VolumeAttachmentSpec;
  status?: StorageV1VolumeAttachmentStatus;
};

export type StorageV1VolumeAttachmentList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: StorageV1VolumeAttachment[] | null;
};

export type StorageV1VolumeAttachmentSource = {
  persistentVolumeName?: string;
  inlineVolumeSpec?: CoreV1PersistentVolumeSpec;
};

export type StorageV1VolumeAttachmentSpec = {
  attacher?: string;
  source?: StorageV1VolumeAttachmentSource;
  nodeName?: string;
};

export type StorageV1VolumeAttachmentStatus = {
  attached?: boolean;
  attachmentMetadata?: Record<string, string>;
  attachError?: StorageV1VolumeError;
  detachError?: StorageV1VolumeError;
};

export type StorageV1VolumeError = {
  time?: string | null;
  message?: string;
};

export type StorageV1VolumeNodeResources = {
  count?: number;
};

export type StorageV1alpha1VolumeAttributesClass = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  driverName?: string;
  parameters?: Record<string, string>;
};

export type StorageV1alpha1VolumeAttributesClassList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: StorageV1alpha1VolumeAttributesClass[] | null;
};

export type StorageV1beta1VolumeAttributesClass = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
  driverName?: string;
  parameters?: Record<string, string>;
};

export type StorageV1beta1VolumeAttributesClassList = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ListMeta;
  items?: StorageV1beta1VolumeAttributesClass[] | null;
};

/** Those that are objects of a kind, by the type's name in the tables. */
export interface ObjectTypes {
  'admissionregistration.v1.MutatingWebhookConfiguration': AdmissionregistrationV1MutatingWebhookConfiguration;
  'admissionregistration.v1.MutatingWebhookConfigurationList': AdmissionregistrationV1MutatingWebhookConfigurationList;
  'admissionregistration.v1.ValidatingAdmissionPolicy': AdmissionregistrationV1ValidatingAdmissionPolicy;
  'admissionregistration.v1.ValidatingAdmissionPolicyBinding': AdmissionregistrationV1ValidatingAdmissionPolicyBinding;
  'admissionregistration.v1.ValidatingAdmissionPolicyBindingList': AdmissionregistrationV1ValidatingAdmissionPolicyBindingList;
  'admissionregistration.v1.ValidatingAdmissionPolicyList': AdmissionregistrationV1ValidatingAdmissionPolicyList;
  'admissionregistration.v1.ValidatingWebhookConfiguration': AdmissionregistrationV1ValidatingWebhookConfiguration;
  'admissionregistration.v1.ValidatingWebhookConfigurationList': AdmissionregistrationV1ValidatingWebhookConfigurationList;
  'admissionregistration.v1alpha1.ValidatingAdmissionPolicy': AdmissionregistrationV1alpha1ValidatingAdmissionPolicy;
  'admissionregistration.v1alpha1.ValidatingAdmissionPolicyBinding': AdmissionregistrationV1alpha1ValidatingAdmissionPolicyBinding;
  'admissionregistration.v1alpha1.ValidatingAdmissionPolicyBindingList': AdmissionregistrationV1alpha1ValidatingAdmissionPolicyBindingList;
  'admissionregistration.v1alpha1.ValidatingAdmissionPolicyList': AdmissionregistrationV1alpha1ValidatingAdmissionPolicyList;
  'admissionregistration.v1beta1.ValidatingAdmissionPolicy': AdmissionregistrationV1beta1ValidatingAdmissionPolicy;
  'admissionregistration.v1beta1.ValidatingAdmissionPolicyBinding': AdmissionregistrationV1beta1ValidatingAdmissionPolicyBinding;
  'admissionregistration.v1beta1.ValidatingAdmissionPolicyBindingList': AdmissionregistrationV1beta1ValidatingAdmissionPolicyBindingList;
  'admissionregistration.v1beta1.ValidatingAdmissionPolicyList': AdmissionregistrationV1beta1ValidatingAdmissionPolicyList;
  'apiextensions.v1.CustomResourceDefinition': ApiextensionsV1CustomResourceDefinition;
  'apiextensions.v1.CustomResourceDefinitionList': ApiextensionsV1CustomResourceDefinitionList;
  'apiregistration.v1.APIService': ApiregistrationV1APIService;
  'apiregistration.v1.APIServiceList': ApiregistrationV1APIServiceList;
  'apiserverinternal.v1alpha1.StorageVersion': ApiserverinternalV1alpha1StorageVersion;
  'apiserverinternal.v1alpha1.StorageVersionList': ApiserverinternalV1alpha1StorageVersionList;
  'apps.v1.ControllerRevision': AppsV1ControllerRevision;
  'apps.v1.ControllerRevisionList': AppsV1ControllerRevisionList;
  'apps.v1.DaemonSet': AppsV1DaemonSet;
  'apps.v1.DaemonSetList': AppsV1DaemonSetList;
  'apps.v1.Deployment': AppsV1Deployment;
  'apps.v1.DeploymentList': AppsV1DeploymentList;
  'apps.v1.ReplicaSet': AppsV1ReplicaSet;
  'apps.v1.ReplicaSetList': AppsV1ReplicaSetList;
  'apps.v1.StatefulSet': AppsV1StatefulSet;
  'apps.v1.StatefulSetList': AppsV1StatefulSetList;
  'authentication.v1.SelfSubjectReview': AuthenticationV1SelfSubjectReview;
  'authentication.v1.TokenRequest': AuthenticationV1TokenRequest;
  'authentication.v1.TokenReview': AuthenticationV1TokenReview;
  'authentication.v1alpha1.SelfSubjectReview': AuthenticationV1alpha1SelfSubjectReview;
  'authentication.v1beta1.SelfSubjectReview': AuthenticationV1beta1SelfSubjectReview;
  'authorization.v1.LocalSubjectAccessReview': AuthorizationV1LocalSubjectAccessReview;
  'authorization.v1.SelfSubjectAccessReview': AuthorizationV1SelfSubjectAccessReview;
  'authorization.v1.SelfSubjectRulesReview': AuthorizationV1SelfSubjectRulesReview;
  'authorization.v1.SubjectAccessReview': AuthorizationV1SubjectAccessReview;
  'autoscaling.v1.HorizontalPodAutoscaler': AutoscalingV1HorizontalPodAutoscaler;
  'autoscaling.v1.HorizontalPodAutoscalerList': AutoscalingV1HorizontalPodAutoscalerList;
  'autoscaling.v1.Scale': AutoscalingV1Scale;
  'autoscaling.v2.HorizontalPodAutoscaler': AutoscalingV2HorizontalPodAutoscaler;
  'autoscaling.v2.HorizontalPodAutoscalerList': AutoscalingV2HorizontalPodAutoscalerList;
  'batch.v1.CronJob': BatchV1CronJob;
  'batch.v1.CronJobList': BatchV1CronJobList;
  'batch.v1.Job': BatchV1Job;
  'batch.v1.JobList': BatchV1JobList;
  'certificates.v1.CertificateSigningRequest': CertificatesV1CertificateSigningRequest;
  'certificates.v1.CertificateSigningRequestList': CertificatesV1CertificateSigningRequestList;
  'coordination.v1.Lease': CoordinationV1Lease;
  'coordination.v1.LeaseList': CoordinationV1LeaseList;
  'coordination.v1alpha1.LeaseCandidate': CoordinationV1alpha1LeaseCandidate;
  'coordination.v1alpha1.LeaseCandidateList': CoordinationV1alpha1LeaseCandidateList;
  'core.v1.Binding': CoreV1Binding;
  'core.v1.ComponentStatus': CoreV1ComponentStatus;
  'core.v1.ComponentStatusList': CoreV1ComponentStatusList;
  'core.v1.ConfigMap': CoreV1ConfigMap;
  'core.v1.ConfigMapList': CoreV1ConfigMapList;
  'core.v1.Endpoints': CoreV1Endpoints;
  'core.v1.EndpointsList': CoreV1EndpointsList;
  'core.v1.Event': CoreV1Event;
  'core.v1.EventList': CoreV1EventList;
  'core.v1.LimitRange': CoreV1LimitRange;
  'core.v1.LimitRangeList': CoreV1LimitRangeList;
  'core.v1.Namespace': CoreV1Namespace;
  'core.v1.NamespaceList': CoreV1NamespaceList;
  'core.v1.Node': CoreV1Node;
  'core.v1.NodeList': CoreV1NodeList;
  'core.v1.NodeProxyOptions': CoreV1NodeProxyOptions;
  'core.v1.PersistentVolume': CoreV1PersistentVolume;
  'core.v1.PersistentVolumeClaim': CoreV1PersistentVolumeClaim;
  'core.v1.PersistentVolumeClaimList': CoreV1PersistentVolumeClaimList;
  'core.v1.PersistentVolumeList': CoreV1PersistentVolumeList;
  'core.v1.Pod': CoreV1Pod;
  'core.v1.PodAttachOptions': CoreV1PodAttachOptions;
  'core.v1.PodExecOptions': CoreV1PodExecOptions;
  'core.v1.PodList': CoreV1PodList;
  'core.v1.PodLogOptions': CoreV1PodLogOptions;
  'core.v1.PodPortForwardOptions': CoreV1PodPortForwardOptions;
  'core.v1.PodProxyOptions': CoreV1PodProxyOptions;
  'core.v1.PodTemplate': CoreV1PodTemplate;
  'core.v1.PodTemplateList': CoreV1PodTemplateList;
  'core.v1.ReplicationController': CoreV1ReplicationController;
  'core.v1.ReplicationControllerList': CoreV1ReplicationControllerList;
  'core.v1.ResourceQuota': CoreV1ResourceQuota;
  'core.v1.ResourceQuotaList': CoreV1ResourceQuotaList;
  'core.v1.Secret': CoreV1Secret;
  'core.v1.SecretList': CoreV1SecretList;
  'core.v1.Service': CoreV1Service;
  'core.v1.ServiceAccount': CoreV1ServiceAccount;
  'core.v1.ServiceAccountList': CoreV1ServiceAccountList;
  'core.v1.ServiceList': CoreV1ServiceList;
  'core.v1.ServiceProxyOptions': CoreV1ServiceProxyOptions;
  'discovery.v1.EndpointSlice': DiscoveryV1EndpointSlice;
  'discovery.v1.EndpointSliceList': DiscoveryV1EndpointSliceList;
  'events.v1.Event': EventsV1Event;
  'events.v1.EventList': EventsV1EventList;
  'flowcontrol.v1.FlowSchema': FlowcontrolV1FlowSchema;
  'flowcontrol.v1.FlowSchemaList': FlowcontrolV1FlowSchemaList;
  'flowcontrol.v1.PriorityLevelConfiguration': FlowcontrolV1PriorityLevelConfiguration;
  'flowcontrol.v1.PriorityLevelConfigurationList': FlowcontrolV1PriorityLevelConfigurationList;
  'flowcontrol.v1beta3.FlowSchema': FlowcontrolV1beta3FlowSchema;
  'flowcontrol.v1beta3.FlowSchemaList': FlowcontrolV1beta3FlowSchemaList;
  'flowcontrol.v1beta3.PriorityLevelConfiguration': FlowcontrolV1beta3PriorityLevelConfiguration;
  'flowcontrol.v1beta3.PriorityLevelConfigurationList': FlowcontrolV1beta3PriorityLevelConfigurationList;
  'meta.v1.APIGroup': MetaV1APIGroup;
  'meta.v1.APIGroupList': MetaV1APIGroupList;
  'meta.v1.APIResourceList': MetaV1APIResourceList;
  'meta.v1.APIVersions': MetaV1APIVersions;
  'meta.v1.CreateOptions': MetaV1CreateOptions;
  'meta.v1.DeleteOptions': MetaV1DeleteOptions;
  'meta.v1.ListOptions': MetaV1ListOptions;
  'meta.v1.PartialObjectMetadata': MetaV1PartialObjectMetadata;
  'meta.v1.PartialObjectMetadataList': MetaV1PartialObjectMetadataList;
  'meta.v1.PatchOptions': MetaV1PatchOptions;
  'meta.v1.Status': MetaV1Status;
  'meta.v1.UpdateOptions': MetaV1UpdateOptions;
  'networking.v1.Ingress': NetworkingV1Ingress;
  'networking.v1.IngressClass': NetworkingV1IngressClass;
  'networking.v1.IngressClassList': NetworkingV1IngressClassList;
  'networking.v1.IngressList': NetworkingV1IngressList;
  'networking.v1.NetworkPolicy': NetworkingV1NetworkPolicy;
  'networking.v1.NetworkPolicyList': NetworkingV1NetworkPolicyList;
  'node.v1.RuntimeClass': NodeV1RuntimeClass;
  'node.v1.RuntimeClassList': NodeV1RuntimeClassList;
  'policy.v1.Eviction': PolicyV1Eviction;
  'policy.v1.PodDisruptionBudget': PolicyV1PodDisruptionBudget;
  'policy.v1.PodDisruptionBudgetList': PolicyV1PodDisruptionBudgetList;
  'rbac.v1.ClusterRole': RbacV1ClusterRole;
  'rbac.v1.ClusterRoleBinding': RbacV1ClusterRoleBinding;
  'rbac.v1.ClusterRoleBindingList': RbacV1ClusterRoleBindingList;
  'rbac.v1.ClusterRoleList': RbacV1ClusterRoleList;
  'rbac.v1.Role': RbacV1Role;
  'rbac.v1.RoleBinding': RbacV1RoleBinding;
  'rbac.v1.RoleBindingList': RbacV1RoleBindingList;
  'rbac.v1.RoleList': RbacV1RoleList;
  'resource.v1alpha3.DeviceClass': ResourceV1alpha3DeviceClass;
  'resource.v1alpha3.DeviceClassList': ResourceV1alpha3DeviceClassList;
  'resource.v1alpha3.PodSchedulingContext': ResourceV1alpha3PodSchedulingContext;
  'resource.v1alpha3.PodSchedulingContextList': ResourceV1alpha3PodSchedulingContextList;
  'resource.v1alpha3.ResourceClaim': ResourceV1alpha3ResourceClaim;
  'resource.v1alpha3.ResourceClaimList': ResourceV1alpha3ResourceClaimList;
  'resource.v1alpha3.ResourceClaimTemplate': ResourceV1alpha3ResourceClaimTemplate;
  'resource.v1alpha3.ResourceClaimTemplateList': ResourceV1alpha3ResourceClaimTemplateList;
  'resource.v1alpha3.ResourceSlice': ResourceV1alpha3ResourceSlice;
  'resource.v1alpha3.ResourceSliceList': ResourceV1alpha3ResourceSliceList;
  'scheduling.v1.PriorityClass': SchedulingV1PriorityClass;
  'scheduling.v1.PriorityClassList': SchedulingV1PriorityClassList;
  'storage.v1.CSIDriver': StorageV1CSIDriver;
  'storage.v1.CSIDriverList': StorageV1CSIDriverList;
  'storage.v1.CSINode': StorageV1CSINode;
  'storage.v1.CSINodeList': StorageV1CSINodeList;
  'storage.v1.CSIStorageCapacity': StorageV1CSIStorageCapacity;
  'storage.v1.CSIStorageCapacityList': StorageV1CSIStorageCapacityList;
  'storage.v1.StorageClass': StorageV1StorageClass;
  'storage.v1.StorageClassList': StorageV1StorageClassList;
  'storage.v1.VolumeAttachment': StorageV1VolumeAttachment;
  'storage.v1.VolumeAttachmentList': StorageV1VolumeAttachmentList;
  'storage.v1alpha1.VolumeAttributesClass': StorageV1alpha1VolumeAttributesClass;
  'storage.v1alpha1.VolumeAttributesClassList': StorageV1alpha1VolumeAttributesClassList;
  'storage.v1beta1.VolumeAttributesClass': StorageV1beta1VolumeAttributesClass;
  'storage.v1beta1.VolumeAttributesClassList': StorageV1beta1VolumeAttributesClassList;
}

/** Those with cluster-scoped objects. */
export type ClusterScopedTypes =
  | 'admissionregistration.v1.MutatingWebhookConfiguration'
  | 'admissionregistration.v1.ValidatingAdmissionPolicy'
  | 'admissionregistration.v1.ValidatingAdmissionPolicyBinding'
  | 'admissionregistration.v1.ValidatingWebhookConfiguration'
  | 'admissionregistration.v1alpha1.ValidatingAdmissionPolicy'
  | 'admissionregistration.v1alpha1.ValidatingAdmissionPolicyBinding'
  | 'admissionregistration.v1beta1.ValidatingAdmissionPolicy'
  | 'admissionregistration.v1beta1.ValidatingAdmissionPolicyBinding'
  | 'apiextensions.v1.CustomResourceDefinition'
  | 'apiregistration.v1.APIService'
  | 'apiserverinternal.v1alpha1.StorageVersion'
  | 'authentication.v1.SelfSubjectReview'
  | 'authentication.v1.TokenReview'
  | 'authentication.v1alpha1.SelfSubjectReview'
  | 'authentication.v1beta1.SelfSubjectReview'
  | 'authorization.v1.SelfSubjectAccessReview'
  | 'authorization.v1.SelfSubjectRulesReview'
  | 'authorization.v1.SubjectAccessReview'
  | 'certificates.v1.CertificateSigningRequest'
  | 'core.v1.ComponentStatus'
  | 'core.v1.Namespace'
  | 'core.v1.Node'
  | 'core.v1.PersistentVolume'
  | 'flowcontrol.v1.FlowSchema'
  | 'flowcontrol.v1.PriorityLevelConfiguration'
  | 'flowcontrol.v1beta3.FlowSchema'
  | 'flowcontrol.v1beta3.PriorityLevelConfiguration'
  | 'networking.v1.IngressClass'
  | 'node.v1.RuntimeClass'
  | 'rbac.v1.ClusterRole'
  | 'rbac.v1.ClusterRoleBinding'
  | 'resource.v1alpha3.DeviceClass'
  | 'resource.v1alpha3.ResourceSlice'
  | 'scheduling.v1.PriorityClass'
  | 'storage.v1.CSIDriver'
  | 'storage.v1.CSINode'
  | 'storage.v1.StorageClass'
  | 'storage.v1.VolumeAttachment'
  | 'storage.v1alpha1.VolumeAttributesClass'
  | 'storage.v1beta1.VolumeAttributesClass';
