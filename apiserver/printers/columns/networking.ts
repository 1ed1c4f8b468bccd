/** Columns of networking kinds (cells: ../cells/networking.ts). */
import { AGE, defineColumn, NAME, WIDE } from '../table/column';
import type { ColumnDefinition } from '../table/convertor';

/** By kind. */
export const NETWORKING_COLUMNS: Readonly<Record<string, readonly ColumnDefinition[]>> = {
  Endpoints: [NAME, defineColumn('Endpoints', 'The first addresses, with their ports.'), AGE],
  EndpointSlice: [
    NAME,
    defineColumn('AddressType', 'The type of all addresses.'),
    defineColumn('Ports', 'The first ports.'),
    defineColumn('Endpoints', 'The first addresses.'),
    AGE,
  ],
  Ingress: [
    NAME,
    defineColumn('Class', 'The ingress class, whose controller serves the Ingress.'),
    defineColumn('Hosts', 'The first host names.'),
    defineColumn('Address', 'The addresses of the load balancer.'),
    defineColumn('Ports', 'The ports of the load balancer.'),
    AGE,
  ],
  IngressClass: [
    NAME,
    defineColumn('Controller', 'The controller of this class.'),
    defineColumn('Parameters', 'The object with the parameters, as kind/name.'),
    AGE,
  ],
  Service: [
    NAME,
    defineColumn('Type', 'How the Service is exposed.'),
    defineColumn('Cluster-IP', 'The primary cluster IP.'),
    defineColumn('External-IP', 'The addresses or host names that are reachable from outside of the cluster.'),
    defineColumn('Port(s)', 'The ports, with their node ports.'),
    AGE,
    defineColumn('Selector', 'The labels of the pods that serve the Service.', WIDE),
  ],
  NetworkPolicy: [NAME, defineColumn('Pod-Selector', 'The labels of the selected pods.'), AGE],
};
