/** Columns of the kinds of traffic, besides Services. The cells are in ../cells/. */
import { AGE, column, NAME } from '../table/column';
import type { ColumnDefinition } from '../table/printer';

export const NETWORKING_COLUMNS: Readonly<Record<string, readonly ColumnDefinition[]>> = {
  Endpoints: [NAME, column('Endpoints', 'The first of its addresses with their ports.'), AGE],
  EndpointSlice: [
    NAME,
    column('AddressType', 'The type of all its addresses.'),
    column('Ports', 'The first of its ports.'),
    column('Endpoints', 'The first of its addresses.'),
    AGE,
  ],
  Ingress: [
    NAME,
    column('Class', 'The class whose controller serves it.'),
    column('Hosts', 'The first of its host names.'),
    column('Address', 'Where it is reached.'),
    column('Ports', 'The ports on which it is reached.'),
    AGE,
  ],
  IngressClass: [
    NAME,
    column('Controller', 'What serves ingresses of this class.'),
    column('Parameters', 'The object with more settings, as kind/name.'),
    AGE,
  ],
  NetworkPolicy: [NAME, column('Pod-Selector', 'The labels of the pods that it is for.'), AGE],
};
