import { RemovalPolicy } from 'aws-cdk-lib';

/**
 * What happens to a resource with data when it is removed from the stack. A resource that outlives the stack is still deleted when its
 * creation is rolled back. It is then empty, and each failed deployment would leave one behind.
 */
export function dataPolicy(outlivesStack: boolean): RemovalPolicy {
  return outlivesStack ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
}
