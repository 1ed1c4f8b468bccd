/** Columns of networking kinds, except Service (cells: ../cells/networking.ts). */
import { AGE, defineColumn, NAME } from '../table/column';
import type { ColumnDefinition } from '../table/convertor';

export const NETWORKING_COLUMNS: Readonly<Record<string, readonly ColumnDefinition[]>> = {
  Endpoints: [NAME, defineColumn('Endpoints', 'The first of its addresses with their ports.'), AGE],
  EndpointSlice: [
    NAME,
    defineColumn('AddressType', 'The type of all its addresses.'),
    defineColumn('Ports', 'The first of its ports.'),
    defineColumn('Endpoints', 'The first of its addresses.'),
    AGE,
  ],
  Ingress: [
    NAME,
    defineColumn('Class', 'The class whose controller serves it.'),
    defineColumn('Hosts', 'The first of its host names.'),
    defineColumn('Address', 'Where it is reached.'),
    defineColumn('Ports', 'The ports on which it is reached.'),
    AGE,
  ],
  IngressClass: [
    NAME,
    defineColumn('Controller', 'What serves ingresses of this class.'),
    defineColumn('Parameters', 'The object with more settings, as kind/name.'),
    AGE,
  ],
  NetworkPolicy: [NAME, defineColumn('Pod-Selector', 'The labels of the pods that it is for.'), AGE],
};
