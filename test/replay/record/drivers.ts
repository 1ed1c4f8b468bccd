/** The drivers that record each format, by the `format` in a recording's head. */
import { recordAccessDecisions } from './access-decisions';
import { recordAdmissionPolicies, recordPolicyStatus } from './admission-policies';
import { recordApiServices } from './api-services';
import { recordCustomDefinitions } from './custom-definitions';
import { recordCustomOperations } from './custom-operations';
import { recordCustomColumns, recordCustomDocuments, recordCustomPaths, recordCustomResources } from './custom-resources';
import { recordDefaultObjects } from './default-objects';
import { recordEndpointsOrder } from './endpoints-order';
import { recordIpAddresses, recordIpRangePairs, recordIpRanges } from './ip-addresses';
import { recordKindCases } from './kind-cases';
import { recordLifecycles } from './lifecycles';
import { recordLimitRanges, recordQuotas } from './limits';
import { recordCreatedObjects, recordDecodingErrors } from './objects';
import { recordOpenApi } from './openapi';
import { recordPolicyExpressions } from './policy-expressions';
import { recordProxyDestinations } from './proxy-destinations';
import type { RecordingDriver } from './recording-driver';
import { recordRequests } from './requests';
import { recordAuditEvents, recordMetrics } from './request-steps';
import { recordScenarios } from './scenarios';
import { recordServiceCases } from './service-cases';
import {
  recordRuleCosts,
  recordRuleErrors,
  recordRuleOutcomes,
  recordRulePrices,
  recordRuleUpdates,
  recordSchemaErrors,
} from './validation-rules';
import { recordTraces } from './traces';
import { recordWebhookCredentials } from './webhook-credentials';
import { recordAdmissionWebhooks, recordConversionWebhooks, recordImagePolicy } from './webhooks';
import { recordWriteSequences } from './write-sequences';
import { recordYamlBodies } from './yaml-bodies';

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
  ['schema-errors', recordSchemaErrors],
  ['service-cases', recordServiceCases],
  ['trace-requests', recordTraces],
  ['webhook-credentials', recordWebhookCredentials],
  ['write-sequences', recordWriteSequences],
  ['yaml-bodies', recordYamlBodies],
]);
