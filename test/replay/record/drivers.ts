/** The driver of each format, by the `format` in the head of a recording. README.md describes the formats. */
import { recordAccessDecisions } from './requests/access-decisions';
import { recordAdmissionPolicies, recordPolicyStatus } from './requests/admission-policies';
import { recordApiServices } from './requests/api-services';
import { recordCustomDefinitions } from './definitions/custom-definitions';
import { recordCustomOperations } from './definitions/custom-operations';
import { recordCustomColumns, recordCustomDocuments, recordCustomPaths, recordCustomResources } from './definitions/custom-resources';
import { recordDefaultObjects } from './objects/default-objects';
import { recordEndpointsOrder } from './objects/endpoints-order';
import { recordIpAddresses, recordIpRangePairs, recordIpRanges } from './objects/ip-addresses';
import { recordKindCases } from './objects/kind-cases';
import { recordLifecycles } from './objects/lifecycles';
import { recordLimitRanges, recordQuotas } from './objects/limits';
import { recordCreatedObjects, recordDecodingErrors } from './objects/objects';
import { recordOpenApi } from './requests/openapi';
import { recordPolicyExpressions } from './definitions/policy-expressions';
import { recordProxyDestinations } from './requests/proxy-destinations';
import type { RecordingDriver } from './recording-driver';
import { recordRequests } from './requests/requests';
import { recordAuditEvents, recordMetrics } from './requests/request-steps';
import { recordScenarios } from './scenarios';
import { recordScheduling } from './objects/scheduling';
import { recordServiceCases } from './objects/service-cases';
import {
  recordRuleCosts,
  recordRuleErrors,
  recordRuleOutcomes,
  recordRulePrices,
  recordRuleUpdates,
  recordSchemaErrors,
} from './definitions/validation-rules';
import { recordTraces } from './requests/traces';
import { recordWebhookCredentials } from './requests/webhook-credentials';
import { recordAdmissionWebhooks, recordConversionWebhooks, recordImagePolicy } from './requests/webhooks';
import { recordWriteSequences } from './objects/write-sequences';
import { recordYamlBodies } from './objects/yaml-bodies';

export const DRIVERS: ReadonlyMap<string, RecordingDriver> = new Map<string, RecordingDriver>([
  ['access-decisions', recordAccessDecisions],
  ['admission-policies', recordAdmissionPolicies],
  ['admission-webhooks', recordAdmissionWebhooks],
  ['api-services', recordApiServices],
  ['audit-requests', recordAuditEvents],
  ['conversion-webhooks', recordConversionWebhooks],
  ['created-objects', recordCreatedObjects],
  ['custom-columns', recordCustomColumns],
  ['custom-definitions', recordCustomDefinitions],
  ['custom-documents', recordCustomDocuments],
  ['custom-operations', recordCustomOperations],
  ['custom-paths', recordCustomPaths],
  ['custom-resources', recordCustomResources],
  ['decoding-errors', recordDecodingErrors],
  ['default-objects', recordDefaultObjects],
  ['endpoints-order', recordEndpointsOrder],
  ['image-policy', recordImagePolicy],
  ['ip-addresses', recordIpAddresses],
  ['ip-range-pairs', recordIpRangePairs],
  ['ip-ranges', recordIpRanges],
  ['kind-cases', recordKindCases],
  ['lifecycles', recordLifecycles],
  ['limit-ranges', recordLimitRanges],
  ['metric-requests', recordMetrics],
  ['openapi-definitions', recordOpenApi],
  ['openapi-paths', recordOpenApi],
  ['policy-expressions', recordPolicyExpressions],
  ['policy-status', recordPolicyStatus],
  ['proxy-destinations', recordProxyDestinations],
  ['quotas', recordQuotas],
  ['requests', recordRequests],
  ['rule-costs', recordRuleCosts],
  ['rule-errors', recordRuleErrors],
  ['rule-outcomes', recordRuleOutcomes],
  ['rule-prices', recordRulePrices],
  ['rule-updates', recordRuleUpdates],
  ['scenarios', recordScenarios],
  ['scheduling', recordScheduling],
  ['schema-errors', recordSchemaErrors],
  ['service-cases', recordServiceCases],
  ['trace-requests', recordTraces],
  ['webhook-credentials', recordWebhookCredentials],
  ['write-sequences', recordWriteSequences],
  ['yaml-bodies', recordYamlBodies],
]);
