export PATH=$PATH:/usr/local/go/bin
cd /work/w-tune; for f in $(git diff --name-only main | grep '\.go$' | grep -v _test); do a=$(/tmp/tok/tok $f|cut -d' ' -f1); git show main:$f > /tmp/tok/old.txt 2>/dev/null && b=$(/tmp/tok/tok /tmp/tok/old.txt|cut -d' ' -f1) || b=0; echo "$((a-b)) $f ($a)"; done
