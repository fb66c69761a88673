import { RemovalPolicy } from 'aws-cdk-lib';

/**
 * What becomes of a resource with data when the stack no longer has it. One that outlives the stack is still deleted when
 * its own creation is rolled back: it is empty then, and would be left over by each failed deployment.
 */
export function dataPolicy(outlivesStack: boolean): RemovalPolicy {
  return outlivesStack ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
}
