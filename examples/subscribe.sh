#!/usr/bin/env bash
# A queue of your own that gets the connector's events, by the AWS CLI: EVENT_BUS_NAME=… ./subscribe.sh NAME
# Prints the queue's URL. As in cdk-app/subscription.ts: rule, queue, queue policy, dead letters.
set -euo pipefail
name=${1:?is the name of the queue and of the rule}
: "${EVENT_BUS_NAME:?is the output EventBusName}"
region=${AWS_REGION:-${AWS_DEFAULT_REGION:-$(aws configure get region)}}
# Version 1 of the AWS CLI does not read AWS_REGION, and AWS_ENDPOINT_URL not for SQS.
aws() { command aws --region "$region" ${AWS_ENDPOINT_URL:+--endpoint-url "$AWS_ENDPOINT_URL"} "$@"; }
caller=$(aws sts get-caller-identity --query Arn --output text)
IFS=: read -r _ partition _ _ account _ <<< "$caller"
arn="arn:$partition:sqs:$region:$account"
rule="arn:$partition:events:$region:$account:rule/$EVENT_BUS_NAME/$name"

policy() {
  printf '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":"events.amazonaws.com"},"Action":"sqs:SendMessage","Resource":"%s","Condition":{"ArnEquals":{"aws:SourceArn":"%s"}}}]}' "$1" "$rule"
}
json() { node -e 'console.log(JSON.stringify(process.argv[1]))' "$1"; }

# What your consumer fails on five times, and what the rule cannot deliver.
dead="$arn:$name-dead-letters"
aws sqs create-queue --queue-name "$name-dead-letters" --output text > /dev/null \
  --attributes "{\"MessageRetentionPeriod\":\"1209600\",\"Policy\":$(json "$(policy "$dead")")}"
redrive="{\"deadLetterTargetArn\":\"$dead\",\"maxReceiveCount\":5}"
url=$(aws sqs create-queue --queue-name "$name" --query QueueUrl --output text \
  --attributes "{\"RedrivePolicy\":$(json "$redrive"),\"Policy\":$(json "$(policy "$arn:$name")")}")

aws events put-rule --name "$name" --event-bus-name "$EVENT_BUS_NAME" --output text > /dev/null \
  --event-pattern '{"source":["marketplace.connector"],"detail-type":["batch.completed","rows.rejected"]}'
aws events put-targets --rule "$name" --event-bus-name "$EVENT_BUS_NAME" --output text > /dev/null \
  --targets "[{\"Id\":\"queue\",\"Arn\":\"$arn:$name\",\"DeadLetterConfig\":{\"Arn\":\"$dead\"}}]"
echo "$url"
