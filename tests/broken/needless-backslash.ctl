AG "C:\dir"
