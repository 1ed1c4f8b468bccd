/**
 * The requests of the recording `metrics/requests`, in their order; the metrics are read after each. Names are
 * upstream's.
 */
import { requestSteps } from './request-step';

export const METRIC_STEPS = requestSteps('metrics/requests').steps;
