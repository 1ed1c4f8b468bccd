/** Requests after each of which the metrics are read (`metrics/requests`), in their order. Names are upstream's. */
import { requestSteps } from './request-step';

export const METRIC_STEPS = requestSteps('metrics/requests').steps;
